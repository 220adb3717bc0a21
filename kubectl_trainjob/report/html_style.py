"""How the page of a difference looks: light and dark, on narrow screens and on paper, without anything from outside."""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --line: #d5dae1; --soft: #eef1f5;
  --text: #1b2430; --faint: #566070; --link: #0b5cad;
  --bad: #a3162a; --bad-soft: #fdecee; --good: #17663a; --good-soft: #e7f5ec;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #10151c; --card: #171e27; --line: #313b48; --soft: #1f2833;
    --text: #e4e9ef; --faint: #9ba8b7; --link: #79b8ff;
    --bad: #ff9aa5; --bad-soft: #3a1a20; --good: #83d6a2; --good-soft: #14301f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2rem 1rem 4rem; background: var(--page); color: var(--text); overflow-wrap: break-word;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main, header, footer { max-width: 66rem; margin: 0 auto; }
code, pre { font-family: var(--mono); font-size: .875em; font-variant-ligatures: none; }
code { overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate; }
h1 { font-size: 1.6rem; line-height: 1.3; margin: .25rem 0 .75rem; text-wrap: balance; }
h1 code { font-size: .9em; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .75rem; }
h3 { font-size: 1rem; margin: 0; display: inline; font-weight: 600; }
h1::first-letter, .body > p::first-letter, .unknown::first-letter, p.same::first-letter { text-transform: uppercase; }
p { margin: .5rem 0; }
.sides { color: var(--faint); margin: 0; }
.sides code { color: var(--text); font-weight: 600; }
.faint { color: var(--faint); font-weight: 400; }
.cross { color: var(--bad); font-weight: 600; }
.unknown { color: var(--bad); font-weight: 600; margin: .5rem 0 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.points { list-style: none; margin: 0 0 2rem; padding: 0; display: flex; flex-wrap: wrap; gap: .5rem; }
.points li { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: .15rem .8rem; }
.points li.bad { background: var(--bad-soft); border-color: var(--bad); color: var(--bad); font-weight: 600; }

.scroll { overflow-x: auto; }
.scroll code { display: inline-block; width: max-content; max-width: 24rem; }
.card, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .6rem 1rem 0; color: var(--faint); font-size: .875rem; }
th, td { padding: .45rem 1rem; text-align: right; border-top: 1px solid var(--line); white-space: nowrap; }
thead th { border-top: 0; color: var(--faint); font-size: .8125rem; font-weight: 600; }
tbody th { text-align: left; font-weight: 500; }
thead th:first-child, th.name { text-align: left; }
tr.same td, tr.same th { color: var(--faint); font-weight: 400; }
td.difference { font-weight: 700; }
.scroll + .scroll { margin-top: 1rem; }

details > summary { cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: .25rem; }
.names { columns: 16rem; column-gap: 2rem; margin: .5rem 0; padding: 0; list-style: none; }
.names li { break-inside: avoid; padding: .1rem 0; }
.causes { list-style: none; margin: 0; padding: 0; }
.causes > li { padding: .6rem 1rem; border-top: 1px solid var(--line); }
.causes > li:first-child { border-top: 0; }
.at { color: var(--faint); }
.many { color: var(--link); }

.object { margin-top: .75rem; border-left: 4px solid var(--line); content-visibility: auto;
  contain-intrinsic-size: auto 4rem; }
.object > summary, .object > .title { padding: .7rem 1rem; }
.object[open] > summary { border-bottom: 1px solid var(--line); }
.members { margin-top: .75rem; }
.object.refused { border-left-color: var(--bad); }
.object > .body { padding: .25rem 1rem 1rem; }
.badge {
  display: inline-block; border-radius: 1rem; padding: 0 .6rem; font-size: .8125rem; font-weight: 600;
  background: var(--soft); color: var(--text); margin-right: .35rem;
}
.badge.added { background: var(--good-soft); color: var(--good); }
.badge.removed { background: var(--bad-soft); color: var(--bad); }
.verdict { display: block; margin: .2rem 0 0 1.1rem; font-size: .875rem; color: var(--faint); }
.verdict.no { color: var(--bad); font-weight: 600; }
.verdict.yes { color: var(--good); }
.reasons { margin: .75rem 0; padding: .6rem 1rem .6rem 2rem; background: var(--bad-soft); border-radius: .35rem; }

td.words { text-align: left; }
td.gpus { white-space: normal; min-width: 7rem; }
td.bad { color: var(--bad); font-weight: 600; }
td.doubtful { font-weight: 600; }
td.good { color: var(--good); }
h1.bad { color: var(--bad); }
.finding { margin-top: .75rem; padding: .7rem 1rem; border-left: 4px solid var(--line); }
.finding.error { border-left-color: var(--bad); }
.finding p { margin: .25rem 0; }

.values { list-style: none; margin: 0; padding: 0; }
.value { padding: .5rem 0; border-top: 1px solid var(--line); }
.value:first-child { border-top: 0; }
.value .head { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; }
.path { color: var(--faint); }
.path b { color: var(--text); font-weight: 600; }
.pair { display: flex; flex-wrap: wrap; gap: .25rem .6rem; align-items: baseline; margin-top: .25rem; }
del, ins { text-decoration: none; border-radius: .25rem; padding: .05rem .4rem; min-width: 0; }
del { background: var(--bad-soft); color: var(--bad); }
ins { background: var(--good-soft); color: var(--good); }
del.none, ins.none { background: none; color: var(--faint); padding: .05rem 0; }
mark { background: none; color: inherit; text-decoration: underline; text-underline-offset: .2em;
  text-decoration-thickness: 1.5px; }
.lines { margin: .35rem 0 0; padding: .5rem 0; border: 1px solid var(--line); border-radius: .35rem;
  overflow-x: auto; tab-size: 4; line-height: 1.45; }
.lines span { display: block; padding: 0 .75rem; min-width: max-content; min-height: 1.45em; unicode-bidi: plaintext; }
.lines .old { background: var(--bad-soft); color: var(--bad); }
.lines .new { background: var(--good-soft); color: var(--good); }
.lines .words { color: var(--faint); font-style: italic; }
footer { margin-top: 2rem; color: var(--faint); font-size: .875rem; }

@media (max-width: 40rem) {
  body { padding: 1rem .6rem 3rem; }
  h1 { font-size: 1.25rem; }
  th, td { padding: .4rem .5rem; font-size: .875rem; }
  .scroll code { max-width: 7.5rem; }
  td.words { white-space: normal; min-width: 5.5rem; }
  .object > summary, .object > .title, .object > .body, .causes > li { padding-left: .7rem; padding-right: .7rem; }
}
@media print {
  :root { --page: #ffffff; --card: #ffffff; }
  body { padding: 0; font-size: 10pt; }
  .object { content-visibility: visible; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .value, tr { break-inside: avoid; }
  h2, summary { break-after: avoid; }
  del, ins, .badge, .reasons, .lines span { print-color-adjust: exact; }
}
"""
