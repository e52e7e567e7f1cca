extension HTMLReport {
  /// What this page alone has.
  static let style = """
    .legend {
      display: flex; flex-wrap: wrap; gap: .25rem; margin: 1rem -0.5rem 0; padding: .4rem 0;
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
    .axis, .row {
      display: grid; column-gap: .8rem;
      grid-template-columns: 13.5rem 4.6rem minmax(0, 1fr) 7rem 7.6rem;
    }
    .axis svg { grid-column: 3; }
    .axis text { fill: var(--soft); font-size: 11px; }
    .row { border-top: 1px solid var(--rule); }
    .row:hover { background: var(--hover); }
    .row .name { padding: .45rem 0; font-size: .88rem; line-height: 1.35; color: var(--soft); }
    .row .name b { color: var(--ink); }
    .names, .numbers { padding: 6px 0; font-size: 12.5px; line-height: 18px; }
    .names span, .numbers span { display: block; height: 18px; white-space: nowrap; }
    .names span { overflow: hidden; text-overflow: ellipsis; text-align: right; }
    .names .peer, .names .limit, .numbers .peer, .numbers .limit { color: var(--soft); }
    .names .junction, .numbers .junction { font-weight: 650; }
    .numbers { font-variant-numeric: tabular-nums; text-align: right; }
    .numbers span { padding-right: 4.5em; position: relative; }
    .numbers i { position: absolute; right: 1.9em; width: 2.6em; text-align: left; font-style: normal; }
    .numbers em { position: absolute; right: 0; width: 1.6em; text-align: left; font-style: normal; color: var(--soft); font-weight: 400; }
    .plot { width: 100%; }
    .bar { fill: var(--c); opacity: .75; }
    .junction .bar { opacity: 1; }
    .hit { fill: transparent; }
    svg text.faint { fill: var(--soft); font-style: italic; font-size: 11px; }
    .plot .limit line { stroke: var(--limit); stroke-width: 2; }
    .plot .limit line.thin { stroke-width: 1; opacity: .5; }
    .lead { padding: .3rem 0; text-align: right; line-height: 1.2; }
    .lead b { display: block; font-size: 1.35rem; font-weight: 650; color: var(--junction); }
    .lead.behind b { color: var(--ink); }
    .lead small { color: var(--soft); font-size: .75rem; white-space: nowrap; }
    details.table summary h2 { display: inline; }
    section > details:not(.table) { border-top: 1px solid var(--rule); padding: .35rem 0; font-size: .9rem; }
    dt { font-weight: 650; margin-top: .6rem; } dd { margin: 0; color: var(--soft); font-size: .9rem; }
    select { font: inherit; }
    .off { visibility: hidden; }
    body.focused svg g:not(.focus), body.focused .names span:not(.focus),
    body.focused .numbers span:not(.focus) { opacity: .18; }
    @media (max-width: 960px) { .axis .minor { display: none; } }
    @media (max-width: 720px) {
      .axis, .row { grid-template-columns: 4.4rem minmax(0, 1fr) 7rem; }
      .axis svg { grid-column: 2; }
      .row .name { grid-column: 1 / 3; grid-row: 1; padding-bottom: 0; }
      .row .lead { grid-column: 3; grid-row: 1; padding-bottom: 0; }
      .lead small { font-size: .7rem; }
      .lead b { font-size: 1.1rem; }
    }
    @media print { .row { break-inside: avoid; } }

    """

  /// Points out, hides and shows engines, and picks the statistic of the tables; the page does without.
  static let script = """
    (function () {
      var all = function (selector) { return Array.from(document.querySelectorAll(selector)); };
      all('.legend button').forEach(function (button) {
        var name = '.e-' + button.dataset.engine;
        var marks = all('svg ' + name + ', .row span' + name);
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
