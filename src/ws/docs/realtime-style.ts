/** The style of the page at /docs/realtime: one column, the reader's own fonts, light or dark. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1d2125; --dim: #5c6670; --line: #d8dee4; --paper: #fff; --code: #f5f7f9; --link: #0b5fb0;
  --string: #116329; --keyword: #8250df }
@media (prefers-color-scheme: dark) {
  :root { --text: #e2e6ea; --dim: #98a2ad; --line: #363d45; --paper: #15181b; --code: #1d2125; --link: #6cb2ff; --string: #7ee0a0;
    --keyword: #c9a6ff }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth }
body { margin: 0 auto; max-width: 50rem; padding: 3rem 1.25rem 6rem; background: var(--paper); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 3.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, ul { margin: .75rem 0 }
a { color: var(--link); text-underline-offset: .15em }
nav { columns: 14rem; font-size: .95rem; margin: 1.5rem 0 }
nav a { display: block; padding: .1rem 0 }
code, pre { font: .875em/1.55 ui-monospace, "SF Mono", Menlo, Consolas, monospace }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
pre { background: var(--code); border: 1px solid var(--line); border-radius: .5rem; margin: .5rem 0 1.5rem; overflow-x: auto;
  padding: 1rem; tab-size: 2 }
pre code { background: none; font-size: .8125rem; padding: 0; overflow-wrap: normal }
figure { margin: 1.25rem 0 }
figcaption { color: var(--dim); font-size: .875rem }
.comment { color: var(--dim) } .string { color: var(--string) } .keyword { color: var(--keyword) }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .9rem; margin: 1rem 0; width: 100% }
th, td { border-bottom: 1px solid var(--line); padding: .45rem .75rem .45rem 0; text-align: left; vertical-align: top }
th { color: var(--dim); font-weight: 600 }
footer { color: var(--dim); margin-top: 4rem }
`
