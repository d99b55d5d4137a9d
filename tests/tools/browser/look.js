// Look at pages in a browser, as several kinds of readers do.
//
//     node look.js CHROMIUM PROFILE FOLDER PAGE...
//
// A page is a file, or an address that begins with http://.  Prints one line of
// JSON for each page and reader: {"page", "reader", "faults"}.
// FOLDER gets a picture of each page and reader; "-": none.  Libraries are
// those of package.json, in the folder that NODE_PATH names.
"use strict";

const fs = require("fs");
const path = require("path");
const {chromium} = require("playwright-core");

const READERS = {
  "desktop light": {viewport: {width: 1280, height: 900}, colorScheme: "light"},
  "desktop dark": {viewport: {width: 1280, height: 900}, colorScheme: "dark"},
  "phone light": {viewport: {width: 390, height: 844}, colorScheme: "light"},
  "phone dark": {viewport: {width: 390, height: 844}, colorScheme: "dark"},
};

// What no page of freshet has, however hostile its data is.
function inspect() {
  const faults = [];
  for (const tag of ["script", "img", "iframe", "object", "embed", "link", "form", "base"])
    if (document.querySelector(tag))
      faults.push("element " + tag);
  for (const node of document.querySelectorAll("*"))
    for (const attribute of node.attributes) {
      if (attribute.name.startsWith("on") || ["style", "src", "srcdoc"].includes(attribute.name))
        faults.push(node.tagName + " " + attribute.name);
      if (attribute.name === "href" && !/^(https?:\/\/|#|\/(?!\/))/.test(attribute.value))
        faults.push("href " + attribute.value);
    }
  if (document.documentElement.scrollWidth > window.innerWidth)
    faults.push("wider than the window: " + document.documentElement.scrollWidth);
  // A host breaks before its dots and a URL before its slashes, where a text of its own
  // begins, and nowhere else.
  for (const parts of document.querySelectorAll(".parts"))
    for (const text of parts.childNodes) {
      const range = document.createRange();
      range.selectNodeContents(text);
      if (text.nodeType === Node.TEXT_NODE &&
          new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1)
        faults.push("the host or URL breaks within " + text.data);
    }
  if (getComputedStyle(document.querySelector("footer")).fontSize === "16px")
    faults.push("the style does not act");
  return faults;
}

// Choose each of the buttons that filter and sort, and see what is shown.
function choose() {
  const faults = [];
  for (const pick of document.querySelectorAll(".pick")) {
    const items = () => Array.from(pick.parentElement.querySelectorAll(".items .item"));
    const filter = Array.from(pick.classList).find((name) => name.startsWith("sev-"));
    const before = document.querySelector(`.pick[name=${pick.name}]:checked`);
    pick.checked = true;
    if (filter !== undefined)
      for (const item of items())
        if ((item.offsetHeight > 0) !== (filter === "sev-all" || item.classList.contains(filter)))
          faults.push(`${pick.id}: ${item.className}`);
    let last = {order: -1, y: -1};
    for (const item of items().filter((one) => one.offsetHeight > 0).sort((a, b) =>
        a.getBoundingClientRect().y - b.getBoundingClientRect().y)) {
      const order = Number(getComputedStyle(item).order);
      const places = {"by-1": "abc", "by-2": "def", "by-3": "ghi"}[pick.classList[1]];
      const rank = places === undefined ? 0 : Number(Array.from(places).map((place) =>
        (Array.from(item.classList).find((name) => new RegExp(`^${place}[1-9]$`).test(name))
          || "x0")[1]).join(""));
      if (order < last.order || (places !== undefined && order !== rank))
        faults.push(`${pick.id}: ${item.className} has the order ${order} below ${last.order}`);
      last = {order};
    }
    before.checked = true;
  }
  return faults;
}

// "report", or of an address its path: "site".
function nameOf(page) {
  return page.startsWith("http://") ? new URL(page).pathname.slice(1) || "overview"
    : path.basename(page, ".html");
}

// The page is loaded once, and every kind of reader looks at it in turn.  What is dark
// differs in its colours alone, so only axe's rules on colours judge it again.
const COLOURS = {runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}};

async function look(browser, file, axe, folder) {
  const page = await (await browser.newContext()).newPage();
  const url = file.startsWith("http://") ? file : "file://" + file;
  const all = {};
  let faults = [];
  const become = async (name) => {
    faults = all[name] ??= [];
    await page.setViewportSize(READERS[name].viewport);
    await page.emulateMedia({colorScheme: READERS[name].colorScheme});
  };

  page.on("console", (message) => faults.push("console: " + message.text()));
  page.on("pageerror", (error) => faults.push("error: " + error));
  page.on("request", (request) => {
    if (request.url() !== url)
      faults.push("request: " + request.url());
  });
  await become(Object.keys(READERS)[0]);
  await page.goto(url);
  for (const name of Object.keys(READERS)) {
    await become(name);
    faults.push(...await page.evaluate(inspect));
    faults.push(...await page.evaluate(choose));
  }
  // all that can be opened is judged, too
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("details"))
      details.open = true;
  });
  if (folder !== "-")
    for (const name of Object.keys(READERS)) {
      await become(name);
      await page.screenshot({fullPage: true, path: path.join(folder,
        nameOf(file) + " " + name + ".png")});
    }
  await page.evaluate(axe);
  for (const name of Object.keys(READERS)) {
    await become(name);
    const found = await page.evaluate((rules) => window.axe.run(document, rules),
      Object.assign({resultTypes: ["violations"]},
        READERS[name].colorScheme === "dark" ? COLOURS : {}));
    for (const violation of found.violations)
      faults.push("axe: " + violation.id + ": " + violation.nodes.slice(0, 3).map(
        (node) => node.html.slice(0, 200)).join(" | "));
  }
  await page.context().close();
  return all;
}

async function main(executablePath, profile, folder, files) {
  const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf-8");
  const browser = await chromium.launch({executablePath, args: ["--headless", "--no-sandbox",
    "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"],
    env: Object.assign({}, process.env, {HOME: profile})});

  for (const file of files)
    for (const [reader, faults] of Object.entries(await look(browser, file, axe, folder)))
      console.log(JSON.stringify({page: nameOf(file), reader, faults}));
  await browser.close();
}

main(process.argv[2], process.argv[3], process.argv[4], process.argv.slice(5)).catch((error) => {
  console.error(String(error));
  process.exit(1);
});
