extension HTMLReport {
  /// One colour an engine everywhere; Junction's is the only strong one.
  static let style = """
    :root {
      color-scheme: light dark;
      --paper: #fdfcfa; --ink: #1d1c1a; --soft: #66625c; --rule: #e3dfd8; --hover: #f3efe8;
      --junction: #c8410b; --sqlite: #5d8db8; --duckdb: #b09a3e; --hyper: #58a08c;
      --ladybug: #a986b5; --limit: #1d1c1a; --other: #8d8a85;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #161513; --ink: #ece8e1; --soft: #a39e95; --rule: #34312d; --hover: #211f1c;
        --junction: #ff7a3d; --sqlite: #5f93c4; --duckdb: #a8923c; --hyper: #4f9a85;
        --ladybug: #a27fb0; --limit: #ece8e1; --other: #858079;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--paper); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
    }
    main { max-width: 1080px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
    h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .5rem; font-weight: 650; }
    h2 { font-size: 1.3rem; margin: 0 0 .4rem; font-weight: 650; }
    h3 { font-size: 1rem; margin: 1.6rem 0 .2rem; font-weight: 650; }
    section { margin-top: 3rem; }
    p { margin: .4rem 0; }
    code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    code { font-size: .88em; }
    .verdict { font-size: 1.2rem; max-width: 46rem; }
    .caution { font-weight: 650; color: var(--junction); max-width: 52rem; }
    .facts, .how { color: var(--soft); font-size: .9rem; max-width: 52rem; }
    .legend {
      position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .25rem;
      margin: 1rem -0.5rem 0; padding: .4rem 0;
    }
    .legend button {
      font: inherit; font-size: .85rem; color: var(--ink); background: none; cursor: pointer;
      border: 1px solid transparent; border-radius: 1rem; padding: .1rem .6rem;
      display: inline-flex; align-items: center; gap: .4rem;
    }
    .legend button:hover { background: var(--hover); }
    .legend button:focus-visible { outline: 2px solid var(--junction); }
    .legend button[aria-pressed="false"] { opacity: .4; text-decoration: line-through; }
    .legend .junction { font-weight: 650; }
    .legend i { width: .8rem; height: .8rem; border-radius: 2px; background: var(--c); }
    .legend .limit i { width: 2px; border-radius: 0; }
    .junction { --c: var(--junction); }
    .peer { --c: var(--other); }
    .limit { --c: var(--limit); }
    .e-sqlite { --c: var(--sqlite); } .e-duckdb { --c: var(--duckdb); }
    .e-hyper { --c: var(--hyper); } .e-ladybug { --c: var(--ladybug); }
    svg { display: block; overflow: visible; }
    svg text { font-size: 12px; fill: var(--ink); }
    .grid { stroke: var(--rule); stroke-width: 1; shape-rendering: crispEdges; }
    .axis, .row {
      display: grid; grid-template-columns: 13.5rem 1fr 7.5rem; column-gap: 1rem;
    }
    .axis text { fill: var(--soft); font-size: 11px; }
    .row { border-top: 1px solid var(--rule); }
    .row:hover { background: var(--hover); }
    .row .name { padding: .45rem 0; font-size: .88rem; line-height: 1.35; color: var(--soft); }
    .row .name b { color: var(--ink); }
    .plot { width: calc(100% - 118px); }
    .bar { fill: var(--c); opacity: .75; }
    .junction .bar { opacity: 1; }
    .hit { fill: transparent; }
    svg .peer text, svg .limit text { fill: var(--soft); }
    svg .junction text { font-weight: 650; }
    .value { font-variant-numeric: tabular-nums; }
    svg text.faint { fill: var(--soft); font-style: italic; font-size: 11px; }
    .plot .limit line { stroke: var(--limit); stroke-width: 2; }
    .lead { padding: .3rem 0; text-align: right; line-height: 1.2; }
    .lead b { display: block; font-size: 1.35rem; font-weight: 650; color: var(--junction); }
    .lead.behind b { color: var(--ink); }
    .lead small { color: var(--soft); font-size: .75rem; }
    .smalls {
      display: grid; grid-template-columns: repeat(auto-fill, minmax(310px, 1fr));
      gap: 1.5rem 1.25rem; margin-top: 1rem;
    }
    .small { margin: 0; }
    .small figcaption { font-size: .85rem; color: var(--soft); line-height: 1.35; min-height: 2.4rem; }
    .small figcaption b { color: var(--ink); }
    svg .tick { fill: var(--soft); font-size: 10.5px; }
    .line { fill: none; stroke: var(--c); stroke-width: 1.5; stroke-linejoin: round; }
    .junction .line { stroke-width: 3; }
    .limit .line { stroke-dasharray: 3 3; stroke-width: 1.2; }
    .leader { stroke: var(--rule); stroke-width: 1; }
    circle { fill: var(--c); }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .28rem .55rem; text-align: right; white-space: nowrap; font-weight: 400; }
    th:first-child, td.title { text-align: left; }
    td.title { white-space: normal; min-width: 11rem; color: var(--soft); }
    thead th { color: var(--soft); vertical-align: bottom; }
    tbody { border-top: 1px solid var(--rule); }
    tbody th { font-weight: 650; }
    tbody tr:hover { background: var(--hover); }
    td.junction, thead th.junction, tr.junction th { color: var(--junction); }
    td.limit { color: var(--soft); }
    td.best { font-weight: 650; }
    td.none { color: var(--soft); font-style: italic; }
    details summary { cursor: pointer; }
    details.table summary h2 { display: inline; }
    section > details:not(.table) { border-top: 1px solid var(--rule); padding: .35rem 0; font-size: .9rem; }
    pre { overflow-x: auto; font-size: .82rem; margin: .4rem 0 .6rem 1rem; }
    dt { font-weight: 650; margin-top: .6rem; } dd { margin: 0; color: var(--soft); font-size: .9rem; }
    select { font: inherit; }
    .off { display: none; }
    svg .off { display: inline; visibility: hidden; }
    body.focused svg g:not(.focus) { opacity: .18; }
    @media (max-width: 960px) { .axis .minor { display: none; } }
    @media (max-width: 720px) {
      .axis, .row { grid-template-columns: 1fr 5.6rem; }
      .axis > span:first-child { display: none; }
      .row .name { grid-column: 1 / -1; padding-bottom: 0; }
      .lead b { font-size: 1.1rem; }
      h1 { font-size: 1.6rem; }
    }
    @media print { .legend { position: static; } .row { break-inside: avoid; } }

    """

  /// Points out, hides and shows engines, and picks the statistic of the tables; the page does without.
  static let script = """
    (function () {
      var all = function (selector) { return Array.from(document.querySelectorAll(selector)); };
      all('.legend button').forEach(function (button) {
        var marks = all('svg .e-' + button.dataset.engine);
        var focus = function (isOn) {
          document.body.classList.toggle('focused', isOn);
          marks.forEach(function (mark) { mark.classList.toggle('focus', isOn); });
        };
        button.addEventListener('mouseenter', function () { focus(marks.length > 0); });
        button.addEventListener('mouseleave', function () { focus(false); });
        button.addEventListener('click', function () {
          var isOn = button.getAttribute('aria-pressed') !== 'true';
          button.setAttribute('aria-pressed', String(isOn));
          marks.forEach(function (mark) { mark.classList.toggle('off', !isOn); });
        });
      });
      var choice = document.getElementById('statistic');
      if (choice) choice.addEventListener('change', function () {
        all('.times td[data-p50]').forEach(function (cell) {
          cell.textContent = cell.dataset[choice.value];
        });
      });
    })();

    """
}
