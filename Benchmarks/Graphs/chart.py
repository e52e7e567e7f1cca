"""Growth curves as a page of HTML with pictures in it, which loads nothing from elsewhere."""
import html, math

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 320, 58, 132, 34, 40


def curves(title, unit, scales, series, limits=None):
    """Lines over scales, with a logarithmic axis of values; `limits` are drawn thin."""
    limits = limits or {}
    values = [value for line in [*series.values(), *limits.values()] for value in line if value > 0]
    low = math.floor(math.log10(min(values, default=1)))
    high = max(low + 1, math.ceil(math.log10(max(values, default=10))))

    def x(place):
        return LEFT + (WIDTH - LEFT - RIGHT) * (place / max(1, len(scales) - 1))

    def y(value):
        share = (math.log10(max(value, 10 ** low)) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">',
             f'<text x="{LEFT}" y="18" class="title">{html.escape(title)}, {html.escape(unit)}</text>']
    for power in range(low, high + 1):
        at = y(10.0 ** power)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" class="grid"/>'
                     f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
    for place, scale in enumerate(scales):
        parts.append(f'<text x="{x(place):.1f}" y="{HEIGHT - 16}" text-anchor="middle">{scale}</text>')
    ends = []
    for colour, name in zip(COLOURS, series):
        for line, kind in ((series[name], "line"), (limits.get(name), "limit")):
            if line:
                points = " ".join(f"{x(place):.1f},{y(value):.1f}" for place, value in enumerate(line))
                parts.append(f'<polyline points="{points}" class="{kind}" stroke="{colour}"/>')
        ends.append([y(series[name][-1]) + 4, name, colour])
    # Names stand beside the ends of their lines, apart from each other.
    ends.sort()
    for one, other in zip(ends, ends[1:]):
        other[0] = max(other[0], one[0] + 14)
    for at, name, colour in ends:
        parts.append(f'<text x="{WIDTH - RIGHT + 8}" y="{at:.1f}" fill="{colour}">{html.escape(name)}</text>')
    return "".join(parts) + "</svg>"


def rows(markdown):
    """Tables of Markdown as HTML, and the lines between as paragraphs."""
    made, is_open = [], False
    for line in markdown.splitlines():
        is_row = line.startswith("|")
        if is_row != is_open:
            made.append("<table>" if is_row else "</table>")
            is_open = is_row
        if is_row and "---" not in line:
            cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
            made.append("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>")
        elif line and not is_row:
            made.append(f"<p>{html.escape(line)}</p>")
    return "\n".join(made + (["</table>"] if is_open else []))


STYLE = """body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 72em; padding: 0 1em; color: #222; background: #fff }
svg { width: 100%; max-width: 560px; font: 12px system-ui, sans-serif; fill: #444 } .title { font-weight: 600; font-size: 14px; fill: #222 }
.grid { stroke: #ddd } .line { fill: none; stroke-width: 2.5 } .limit { fill: none; stroke-width: 1; stroke-dasharray: 4 3 }
table { border-collapse: collapse; font-variant-numeric: tabular-nums } td { padding: .15em .7em; border-bottom: 1px solid #ddd; text-align: right }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd } svg { fill: #bbb } .title { fill: #eee } .grid, td { stroke: #444; border-color: #444 } }"""

# What one processor reads from memory in a second, in gigabytes: what the thin lines would take at that rate.
RATE = 10


def page(found, algorithms, markdown):
    scales = [one["scale"] for one in found]

    def line(key):
        return {name: [one["algorithms"][name][key] for one in found] for name in algorithms}

    limits = {name: [touched / RATE] * len(scales) for name, (_, _, touched) in algorithms.items()}
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Growth of graph algorithms</title><style>{STYLE}</style>
<h1>Growth of graph algorithms</h1>
<p>R-MAT graphs without direction, 2<sup>scale</sup> vertices and about 16 edges a vertex. Thin lines: the bytes that an edge makes an algorithm
touch, at {RATE} GB a second.</p>
{curves("Time", "nanoseconds an edge, over the scale", scales, line("ns_per_edge"), limits)}
{curves("Memory beyond the tables", "bytes an edge, over the scale", scales, line("bytes_per_edge"))}
{curves("Memory beyond the tables", "bytes a vertex, over the scale", scales, line("bytes_per_vertex"))}
{rows(markdown)}
</html>
"""
