/**
 * The stylesheet of all pages. Texts have a contrast of at least 4.5 : 1 on every background, in light and
 * dark (WCAG 1.4.3). A table is as wide as its longest words and scrolls: a number in two rows reads as two.
 */
export const STYLE = `
:root { color-scheme: light dark;
  --ground: #fff; --panel: #f4f5f7; --line: #d5d9df; --text: #1a1d21; --dim: #59616c; --link: #0b57d0; --error: #b3261e;
  --c0: #1d5fa8; --c1: #9a1d5b; --c2: #2e6b1f; --c3: #8a4b00; --c4: #5b3fb5; --c5: #00696b; --c6: #a32020; --c7: #4d5a00;
  --c8: #5f4b32; --c9: #3d4f5f; --c10: #7a1fa2; --c11: #006b3c;
  --n0: #0000d7; --n1: #855b00; --n2: #c2006f; --n3: #005f00; --n4: #a300ee; --n5: #4a1c00; --model: #00707a }
@media (prefers-color-scheme: dark) { :root {
  --ground: #14171a; --panel: #1e2226; --line: #3a4047; --text: #e6e8eb; --dim: #a3abb5; --link: #8ab4f8; --error: #ff8a80;
  --c0: #90caf9; --c1: #f48fb1; --c2: #a5d6a7; --c3: #ffcc80; --c4: #b39ddb; --c5: #80deea; --c6: #ef9a9a; --c7: #dce775;
  --c8: #d7ccc8; --c9: #b0bec5; --c10: #ce93d8; --c11: #69f0ae;
  --n0: #00afff; --n1: #d78700; --n2: #ffafd7; --n3: #2fbf4f; --n4: #af87ff; --n5: #ffff87; --model: #00ffff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
main { max-width: 54rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.25; margin: .5rem 0 }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; padding-top: .5rem; border-top: 1px solid var(--line) }
h3 { font-size: 1rem; margin: 1rem 0 .25rem }
p { margin: .4rem 0 }
a { color: var(--link) }
pre, code, .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .875em }
pre { margin: .4rem 0; padding: .6rem; background: var(--panel); border-radius: 4px; white-space: pre-wrap;
  unicode-bidi: plaintext }
code { background: var(--panel); border-radius: 3px; padding: 0 .2em }
pre code { padding: 0; font-size: 1em }
.dim { color: var(--dim) }
.error { color: var(--error) }
.c0 { color: var(--c0) } .c1 { color: var(--c1) } .c2 { color: var(--c2) } .c3 { color: var(--c3) }
.c4 { color: var(--c4) } .c5 { color: var(--c5) } .c6 { color: var(--c6) } .c7 { color: var(--c7) }
.c8 { color: var(--c8) } .c9 { color: var(--c9) } .c10 { color: var(--c10) } .c11 { color: var(--c11) }
.n0 { color: var(--n0) } .n1 { color: var(--n1) } .n2 { color: var(--n2) } .n3 { color: var(--n3) }
.n4 { color: var(--n4) } .n5 { color: var(--n5) } .model { color: var(--model) }
svg { fill: currentColor }
figure { margin: .4rem 0 }
img { display: block; max-width: 100%; max-height: 40rem; width: auto; height: auto }
.bar { display: block; width: 100%; height: 2rem; margin: .75rem 0; background: var(--panel);
  border: 1px solid var(--line); border-radius: 4px }
.part { display: grid; grid-template-columns: 1rem minmax(7rem, 11rem) 4.5rem 4rem 1fr; gap: 0 .5rem;
  align-items: baseline; padding: .25rem 0; border-top: 1px solid var(--line) }
div.part .name { padding-left: 1.05em }
.bar rect { stroke: var(--panel); stroke-width: 2 }
.part svg { width: .8rem; height: .8rem }
.part .number { text-align: right; font-variant-numeric: tabular-nums }
.heads { font-size: .8125rem; border: 0; color: var(--dim) }
summary { cursor: pointer }
summary.part { list-style: none }
summary.part::-webkit-details-marker { display: none }
summary.part .name::before { content: "▸ "; color: var(--dim) }
details[open] > summary.part .name::before { content: "▾ " }
.inside { margin-left: 1.5rem }
.entry { margin: .9rem 0; scroll-margin: 1rem }
.entry header { font-size: .875rem }
.name { font-weight: 600 }
.reply { border-left: 3px solid var(--line); padding-left: .75rem }
.side { margin-left: 1.5rem }
.plain, .aside { white-space: pre-wrap; unicode-bidi: plaintext }
.aside, .tool, .bill { color: var(--dim); font-size: .875rem; margin: .25rem 0 }
.aside.error, .tool.error > summary { color: var(--error) }
.tool pre { color: var(--text) }
.md > :first-child { margin-top: 0 }
.md > :last-child { margin-bottom: 0 }
.md p, .md li, .md td, .md th, .md blockquote { unicode-bidi: plaintext }
.md ul, .md ol { margin: .4rem 0; padding-left: 1.6rem }
.md blockquote { margin: .4rem 0; padding-left: .75rem; border-left: 3px solid var(--line); color: var(--dim) }
.md .heading { font-weight: 600; margin: .8rem 0 .3rem }
.md hr { border: 0; border-top: 1px solid var(--line) }
.md .table { overflow-x: auto }
.md table { border-collapse: collapse; margin: .4rem 0; overflow-wrap: break-word }
.md th, .md td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top }
.md .center { text-align: center }
.md .right { text-align: right }
.md .info { margin: .4rem 0 -.2rem; color: var(--dim); font-size: .875rem }
@media (max-width: 40rem) {
  main { padding: .75rem }
  .part { grid-template-columns: 1rem 1fr 4rem 3.5rem }
  .part .note { grid-column: 2 / -1; color: var(--dim); font-size: .875rem }
  .heads .note { display: none }
  .inside { margin-left: .5rem }
}
@media print { details:not([open]) > :not(summary) { display: revert } }
`
