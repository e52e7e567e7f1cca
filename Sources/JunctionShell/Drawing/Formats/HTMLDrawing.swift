import Diagnostics

/// A diagram as a page in which tables can be dragged and edges follow; it loads nothing.
struct HTMLDrawing {
  private let diagram: Diagram
  private let title: String

  init(_ diagram: Diagram, title: String) {
    self.diagram = diagram
    self.title = title
  }

  /// The page.
  var text: String {
    let picture = SVGDrawing(diagram, title: title).element(style: "", isStandalone: false)
    return HTMLPage.text(
      title: title, style: SVGDrawing.style + "\n" + Self.style,
      body: """
        <header><h1>\(MarkupEscape.visible(title))</h1><p>Drag tables; edges follow. \
        <span>\(summary)</span></p></header>
        <main>
        \(picture)</main>
        <script>
        \(Self.script)
        </script>

        """)
  }

  private var summary: String {
    let links = diagram.edges.count { $0.junction != nil }
    return "\(diagram.boxes.count) tables, \(diagram.edges.count) relationships, "
      + "\(links) of them many-to-many."
  }

  private static let style = """
    body { margin: 0; background: #ffffff; color: #1c2430; font: 14px system-ui, sans-serif; \
    color-scheme: light dark; }
    @media (prefers-color-scheme: dark) { body { background: #14181f; color: #e6ebf2; } }
    header { padding: 14px 24px 0; }
    h1 { margin: 0; font-size: 18px; }
    header p { margin: 4px 0 0; opacity: 0.75; }
    main { overflow: auto; }
    .erd .node { cursor: grab; touch-action: none; user-select: none; }
    .erd .node.held { cursor: grabbing; }
    .erd .node.held .box { stroke: var(--accent); stroke-width: 2.2; }
    """

  /// Moves what is dragged and draws its edges anew: from the sides that face each other, with one bend in between.
  private static let script = """
    "use strict";
    (() => {
      const svg = document.querySelector("svg.erd");
      const margin = 24;
      const nodes = new Map();
      for (const element of svg.querySelectorAll(".node")) {
        const [x, y] = element.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
        nodes.set(element.id, {
          element, x, y, width: Number(element.dataset.w), height: Number(element.dataset.h),
          isLabel: element.classList.contains("label"), edges: [],
        });
      }
      for (const element of svg.querySelectorAll(".edge")) {
        const data = element.dataset;
        const edge = {
          element,
          ends: ["a", "b"].map((name) => ({
            node: nodes.get(data[name]), offset: Number(data[name + "y"]), mark: data[name + "m"],
          })),
        };
        for (const end of new Set(edge.ends.map((end) => end.node))) end.edges.push(edge);
      }

      // The mark of a multiplicity beside a border; sign is 1 where the line leaves to the right.
      function mark(kind, x, y, sign) {
        const bar = (d) => `M${x + sign * d} ${y - 6}v12`;
        const circle = (d) => `M${x + sign * d - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`;
        if (kind === "1") return bar(7) + bar(12);
        if (kind === "o") return bar(7) + circle(15);
        if (kind === "m") {
          return `M${x} ${y - 7}L${x + sign * 11} ${y}L${x} ${y + 7}` + circle(15);
        }
        return "";
      }

      function rounded(points) {
        let path = `M${points[0].x} ${points[0].y}`;
        for (let i = 1; i < points.length - 1; i++) {
          const corner = points[i];
          const toward = (other) => {
            const [w, h] = [other.x - corner.x, other.y - corner.y];
            const r = Math.min(6, (Math.abs(w) + Math.abs(h)) / 2);
            return `${corner.x + Math.sign(w) * r} ${corner.y + Math.sign(h) * r}`;
          };
          path += `L${toward(points[i - 1])}Q${corner.x} ${corner.y} ${toward(points[i + 1])}`;
        }
        const last = points[points.length - 1];
        return path + `L${last.x} ${last.y}`;
      }

      function draw(edge) {
        const [a, b] = edge.ends;
        const gap = 36;
        // Lines with the same middle would lie upon each other.
        const shift = (Number(edge.element.dataset.e) % 5 - 2) * 6;
        let signs;
        if (a.node !== b.node && a.node.x + a.node.width + gap <= b.node.x) signs = [1, -1];
        else if (a.node !== b.node && b.node.x + b.node.width + gap <= a.node.x) signs = [-1, 1];
        else signs = [1, 1];
        const place = (end, sign) => ({
          x: end.node.x + (sign > 0 ? end.node.width : 0), y: end.node.y + end.offset,
        });
        const [start, stop] = [place(a, signs[0]), place(b, signs[1])];
        const middle = signs[0] === signs[1]
          ? Math.max(start.x, stop.x) + gap + shift : (start.x + stop.x) / 2 + shift;
        const points = start.y === stop.y && signs[0] !== signs[1]
          ? [start, stop] : [start, { x: middle, y: start.y }, { x: middle, y: stop.y }, stop];
        const path = rounded(points);
        for (const line of edge.element.querySelectorAll(".line, .wide")) {
          line.setAttribute("d", path);
        }
        edge.element.querySelector(".mark").setAttribute(
          "d", mark(a.mark, start.x, start.y, signs[0]) + mark(b.mark, stop.x, stop.y, signs[1]));
      }

      function fit() {
        let [width, height] = [0, 0];
        for (const node of nodes.values()) {
          width = Math.max(width, node.x + node.width + margin * 3);
          height = Math.max(height, node.y + node.height + margin * 2);
        }
        svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        svg.setAttribute("width", width);
        svg.setAttribute("height", height);
      }

      function move(node, x, y) {
        node.x = Math.max(margin, x);
        node.y = Math.max(margin, y);
        node.element.setAttribute("transform", `translate(${node.x},${node.y})`);
        for (const edge of node.edges) draw(edge);
      }

      // A label stays between the tables that it links: it goes half the way with either of them.
      function carry(table, dx, dy) {
        const shares = new Map();
        for (const { node } of table.edges.flatMap((edge) => edge.ends)) {
          if (node.isLabel) shares.set(node, (shares.get(node) ?? 0) + 0.5);
        }
        for (const [label, share] of shares) {
          move(label, label.x + dx * share, label.y + dy * share);
        }
      }

      let held = null;
      svg.addEventListener("pointerdown", (event) => {
        const element = event.target.closest(".node");
        if (!element) return;
        const node = nodes.get(element.id);
        held = { node, dx: event.clientX - node.x, dy: event.clientY - node.y };
        element.classList.add("held");
        svg.append(element);
        for (const edge of node.edges) edge.element.classList.add("lit");
        svg.setPointerCapture(event.pointerId);
        event.preventDefault();
      });
      svg.addEventListener("pointermove", (event) => {
        if (!held) return;
        const { node } = held;
        const { x, y } = node;
        move(node, event.clientX - held.dx, event.clientY - held.dy);
        if (!node.isLabel) carry(node, node.x - x, node.y - y);
      });
      function release() {
        if (!held) return;
        held.node.element.classList.remove("held");
        for (const edge of held.node.edges) edge.element.classList.remove("lit");
        held = null;
        fit();
      }
      svg.addEventListener("pointerup", release);
      svg.addEventListener("pointercancel", release);
    })();
    """
}
