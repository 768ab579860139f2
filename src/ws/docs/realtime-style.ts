/** What the page at /docs/realtime has beside the style of all pages that are read: its list of sections, and colours of code. */
export const STYLE = `
:root { --string: #116329; --keyword: #8250df }
@media (prefers-color-scheme: dark) {
  :root { --string: #7ee0a0; --keyword: #c9a6ff }
}
body { padding-top: 3rem }
h2 { margin-top: 3.5rem }
nav { columns: 14rem; font-size: .95rem; margin: 1.5rem 0 }
nav a { display: block; padding: .1rem 0 }
.comment { color: var(--dim) } .string { color: var(--string) } .keyword { color: var(--keyword) }
footer { color: var(--dim); margin-top: 4rem }
`
