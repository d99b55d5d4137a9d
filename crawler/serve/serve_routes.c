/* What can be asked for. */
#include "crawler/serve/serve_routes.h"

#include <string.h>

#include "crawler/serve/serve_api.h"
#include "crawler/serve/serve_metrics.h"
#include "crawler/serve/serve_pages.h"

#define HTML SERVE_PAGE, "text/html; charset=utf-8"
#define JSON SERVE_LINES, "application/json"
#define SPAN "days|since|until"
#define PART "|limit|offset"

/* clang-format off */
static const struct serve_route routes[] = {
    {"/", HTML, SPAN "|page|tag", false, NULL, serve_page_overview},
    {"/site", HTML, SPAN "|site", false, NULL, serve_page_site},
    {"/events", HTML, SPAN "|page|site|tag", false, NULL, serve_page_events},
    {"/event", HTML, SPAN "|site|at|kind", false, NULL, serve_page_event},
    {"/document", HTML, "url|page", false, NULL, serve_page_document},
    {"/url", HTML, "url", false, NULL, serve_page_url},
    {"/findings", HTML, "page|site|code", false, NULL, serve_page_findings},
    {"/health", HTML, "", false, NULL, serve_page_health},
    {"/api/v1/sites", JSON, "site" PART, false, NULL, serve_api_sites},
    {"/api/v1/documents", JSON, "site|url|failing" PART, false, NULL,
	serve_api_documents},
    {"/api/v1/series", JSON, "site|by|last" PART, false,
	"{\"v\":1,\"type\":\"changes\"|{\"v\":1,\"type\":\"weekday\"|"
	"{\"v\":1,\"type\":\"rhythm\"",
	serve_api_series},
    {"/api/v1/events", JSON, "site|tag|since|until|kind|section" PART, false,
	"{\"v\":1,\"type\":\"event\"", serve_api_events},
    {"/api/v1/diff", JSON, "site|tag|since|until|kind|section" PART, false,
	NULL, serve_api_diff},
    {"/api/v1/findings", JSON, "site|document|code|severity" PART, false, NULL,
	serve_api_findings},
    {"/api/v1/explain", JSON, "url" PART, false, NULL, serve_api_explain},
    {"/api/v1/openapi.json", SERVE_TEXT, "application/json", "", false, NULL,
	serve_api_description},
    {"/metrics", SERVE_TEXT, "text/plain; version=0.0.4; charset=utf-8", "",
	false, NULL, serve_metrics},
    {"/healthz", SERVE_TEXT, "text/plain; charset=utf-8", "", true, NULL,
	serve_metrics_health},
};
/* clang-format on */

const struct serve_route *
serve_route_find(const char *path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++)
		if (strcmp(path, routes[i].path) == 0)
			return &routes[i];
	return NULL;
}
