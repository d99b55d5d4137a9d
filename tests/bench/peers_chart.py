"""The picture of tests/bench/peers: bars, as an SVG for light and dark pages."""
import html
import os

PICTURE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "docs", "guide", "peers.svg"))
WIDTH, TOP, ROW, LEFT, RIGHT, BOTTOM = 700, 62, 32, 208, 130, 14
STYLE = """
  svg { color-scheme: light dark; font: 14px system-ui, "Segoe UI", "DejaVu Sans", sans-serif }
  .page { fill: #ffffff } text { fill: #1f2328 } .soft { fill: #59636e; font-size: 13px }
  .head { font-size: 16px; font-weight: 600 } .ours { font-weight: 600 }
  rect.bar { fill: #a8b1bb } rect.ours { fill: #0b6e99 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 } text { fill: #e6edf3 } .soft { fill: #9aa4af }
    rect.bar { fill: #59636e } rect.ours { fill: #4db4e0 }
  }
"""


def picture(rows):
    """The SVG of rows (name, seconds, is_stored), in the order given."""
    height = TOP + ROW * len(rows) + BOTTOM
    scale = (WIDTH - LEFT - RIGHT) / max(seconds for _, seconds, _ in rows)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"'
             ' aria-labelledby="title">' % (WIDTH, height, WIDTH, height),
             '<title id="title">CPU seconds to read a million URLs of gzipped sitemaps: %s</title>' % ", ".join(
                 "%s %.1f" % (html.escape(name), seconds) for name, seconds, _ in rows),
             "<style>%s</style>" % STYLE,
             '<rect class="page" width="%d" height="%d"/>' % (WIDTH, height),
             '<text class="head" x="14" y="26">CPU seconds to read a million URLs</text>',
             '<text class="soft" x="14" y="46">gzipped sitemaps, served on loopback; less is better</text>']
    for n, (name, seconds, is_stored) in enumerate(rows):
        y = TOP + ROW * n
        kind = " ours" if name.startswith("freshet") else ""
        lines += ['<text class="name%s" x="%d" y="%d" text-anchor="end">%s</text>' % (
                      kind, LEFT - 8, y + 17, html.escape(name)),
                  '<rect class="bar%s" x="%d" y="%d" width="%.1f" height="20" rx="2"/>' % (
                      kind, LEFT, y + 2, max(1, seconds * scale)),
                  '<text class="name%s" x="%.1f" y="%d">%.1f%s</text>' % (
                      kind, LEFT + seconds * scale + 7, y + 17, seconds,
                      '<tspan class="soft" font-weight="400"> s, stored</tspan>' if is_stored
                      else '<tspan class="soft" font-weight="400"> s</tspan>')]
    return "\n".join(lines + ["</svg>", ""])


def draw(rows, path=PICTURE):
    with open(path, "w", encoding="utf-8") as f:
        f.write(picture(rows))
