/** The style of pages that are read: one column, the reader's own fonts, light or dark. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1d2125; --dim: #5c6670; --line: #d8dee4; --paper: #fff; --code: #f5f7f9; --link: #0b5fb0 }
@media (prefers-color-scheme: dark) {
  :root { --text: #e2e6ea; --dim: #98a2ad; --line: #363d45; --paper: #15181b; --code: #1d2125; --link: #6cb2ff }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth }
body { margin: 0 auto; max-width: 50rem; padding: 1.5rem 1.25rem 6rem; background: var(--paper); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, ul { margin: .75rem 0 }
a { color: var(--link); text-underline-offset: .15em }
code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0 1.5rem; overflow-x: auto;
  padding: 1rem; tab-size: 2 }
pre code { background: none; font-size: .8125rem; padding: 0; overflow-wrap: normal }
figure { margin: 1.25rem 0 }
figcaption { color: var(--dim); font-size: .875rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top }
th { color: var(--dim); font-weight: 600 }
`

/** Of the guides alone: lists, and tables that stand below themselves on a narrow page. */
export const GUIDE_STYLE = `
ol { margin: .75rem 0 }
ul, ol { padding-left: 1.4rem }
li { margin: .25rem 0 }
th, td { min-width: 6rem }
td code, th code { overflow-wrap: normal }
@media (max-width: 40rem) {
  .wide table, .wide tbody, .wide tr, .wide td { display: block }
  .wide thead { display: none }
  .wide tr { border-bottom: 1px solid var(--line); padding: .5rem 0 }
  .wide td { border: 0; padding: .1rem 0 }
  .wide td:first-child { font-weight: 600 }
  .wide td:not(:first-child):not(:empty)::before { content: attr(data-label) ": "; color: var(--dim) }
  .wide td code { overflow-wrap: anywhere }
}
`
