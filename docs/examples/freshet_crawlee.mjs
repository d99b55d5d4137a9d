// A request list for Crawlee: its requests are the pages that freshet finds due.
//
//     import { CheerioCrawler } from 'crawlee';
//     import { FreshetList } from './freshet_crawlee.mjs';
//
//     const list = new FreshetList({ due: ['--tag', 'shops'] });
//     const crawler = new CheerioCrawler(list.options({
//         async requestHandler({ request, $, pushData }) {
//             await pushData({ url: request.url, title: $('title').text() });
//         },
//     }));
//     await crawler.run();
//     await list.close();
//
// Pages come from 'freshet due --follow', and each result goes to 'freshet done'.
// The pace is freshet's: one page of a host at a time, none before the delay that
// the host wants, none while it wants to be left alone.  Redirects and retries
// are freshet's affair, too.  requestHandler is called for pages that came with
// status 200.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Request } from '@crawlee/core';

const FRESHET = process.env.FRESHET ?? 'freshet';
// noindex of meta robots or X-Robots-Tag; not what is said to another bot
const BARRED = /^(?!\s*(?!freshet|unavailable_after|max-)[\w-]+\s*:)(?:.*,|\s*freshet\s*:)?\s*(?:noindex|none)\s*(?:,|$)/i;

export class FreshetList {
    inProgress = new Set();
    #queue = []; // requests that Crawlee has not taken yet
    #waiting = new Map(); // pages by their leases that were not reported yet
    #handled = 0;
    #isOver = false; // 'due' has ended
    #isClosing = false;

    // due: options of 'freshet due'; hosts: how many at once; textOf: what counts as a change of a page
    constructor({ due = [], hosts = 50, userAgent = 'freshet (+https://www.example.org/bot)', textOf } = {}) {
        this.hosts = hosts;
        this.userAgent = userAgent;
        this.textOf = textOf ?? (({ $, body }) => ($ ? $('body').clone().find('script, style').remove().end()
            .text().replace(/\s+/g, ' ') : body));
        // in groups of their own: an interrupt at a terminal ends Crawlee, which closes the list
        const start = (args, input) => spawn(FRESHET, args, { detached: true, stdio: [input, 'pipe', 'inherit'] });
        this.due = start(['due', '--follow', '--hosts', String(hosts), ...due, '--per-host', '1'], 'ignore');
        this.done = start(['done'], 'pipe');
        this.ends = [once(this.due, 'close').then(() => { this.#isOver = true; }), once(this.done, 'close')];
        this.done.stdin.on('error', () => {});
        this.ends[1].then(() => this.#isClosing || this.#lost());
        createInterface({ input: this.due.stdout }).on('line', (line) => this.#take(JSON.parse(line)));
        createInterface({ input: this.done.stdout }).on('line', (line) => {
            const { ack, lease, reason } = JSON.parse(line);
            if (ack !== 'OK') console.error(`freshet done: ${lease}: ${reason}`);
        });
    }

    #take(page) {
        const headers = { 'User-Agent': this.userAgent };
        if (page.etag) headers['If-None-Match'] = page.etag;
        if (page.last_modified) headers['If-Modified-Since'] = page.last_modified;
        this.#waiting.set(page.lease, page);
        this.#queue.push({ url: page.url, uniqueKey: page.lease, headers, userData: { lease: page.lease } });
    }

    // Without 'freshet done' results are lost, and pages fetched in vain.
    #lost() {
        console.error("'freshet done' has ended");
        this.due.kill('SIGINT');
        this.#queue = [];
        process.exitCode = 1;
    }

    #tell({ userData: { lease } }, result) {
        const page = this.#waiting.get(lease);
        if (!page) return;
        this.#waiting.delete(lease);
        this.done.stdin.write(`${JSON.stringify({ lease, url: page.url, ms: Date.now() - page.begun, ...result })}\n`);
    }

    // Report what the server said of the page.
    #report(context) {
        const { request, response, $ } = context;
        const result = { status: response?.statusCode ?? 0 };
        for (const name of ['etag', 'last-modified', 'location', 'retry-after'])
            if (response?.headers[name]) result[name.replace('-', '_')] = response.headers[name];
        if (result.status === 200 && context.body !== undefined) {
            const said = [response.headers['x-robots-tag'] ?? []].flat();
            $?.('meta[name][content]').each((_, meta) => {
                if (/^\s*(robots|freshet)\s*$/i.test($(meta).attr('name'))) said.push($(meta).attr('content'));
            });
            result.content_hash = createHash('sha256').update(this.textOf(context)).digest('hex');
            result.noindex = said.some((text) => BARRED.test(text));
        }
        this.#tell(request, result);
    }

    // The options of an HttpCrawler or CheerioCrawler that takes this list.
    options({ requestHandler, failedRequestHandler, preNavigationHooks = [], ...others }) {
        return {
            maxConcurrency: this.hosts,
            ...others,
            requestList: this,
            maxRequestRetries: 0,
            useSessionPool: false, // it takes 403 and 429 for a reason to ask again at once
            additionalMimeTypes: ['*/*'], // a redirect or 304 has none
            // how often Crawlee looks for what has become due: each half second unless it is told
            autoscaledPoolOptions: { maybeRunIntervalSecs: 0.05, ...others.autoscaledPoolOptions },
            preNavigationHooks: [({ request }, got) => {
                Object.assign(got, { followRedirect: false, useHeaderGenerator: false, retry: { limit: 0 } });
                const page = this.#waiting.get(request.userData.lease);
                if (page) page.begun = Date.now();
            }, ...preNavigationHooks],
            requestHandler: async (context) => {
                this.#report(context);
                if (context.response.statusCode === 200) await requestHandler?.(context);
            },
            failedRequestHandler: async (context, error) => {
                this.#report(context);
                await failedRequestHandler?.(context, error);
            },
        };
    }

    // Report what was fetched, then give back what was not.
    async close() {
        this.#isClosing = true;
        if (!this.#isOver) this.due.kill('SIGINT');
        await this.ends[0];
        this.done.stdin.end();
        await this.ends[1];
        if (this.#waiting.size > 0)
            spawnSync(FRESHET, ['release', ...this.#waiting.keys()], { stdio: ['ignore', 'ignore', 'inherit'] });
    }

    // What Crawlee asks of a list.
    length() { return this.#handled + this.inProgress.size + this.#queue.length; }
    handledCount() { return this.#handled; }
    async isEmpty() { return this.#queue.length === 0; }
    async isFinished() { return this.#isOver && this.#queue.length === 0 && this.inProgress.size === 0; }
    async persistState() {} // freshet does
    async markRequestHandled(request) { this.#handled += this.inProgress.delete(request.uniqueKey); }
    async reclaimRequest(request) {
        this.inProgress.delete(request.uniqueKey);
        this.#queue.push(request);
    }

    async fetchNextRequest() {
        const next = this.#queue.shift();
        if (!next) return null;
        this.inProgress.add(next.uniqueKey);
        return next instanceof Request ? next : new Request(next);
    }

    async* [Symbol.asyncIterator]() {
        for (let next = await this.fetchNextRequest(); next; next = await this.fetchNextRequest()) yield next;
    }
}
