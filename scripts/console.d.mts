/** The types of what tests ask of scripts/console.mjs, which is plain for the sake of a start without tools. */
export const modesOf: (markdown: string) => Readonly<Record<string, string>>
export const meaningsOf: (markdown: string, heading: string, column?: number) => Readonly<Record<string, string>>
/** Into dist/console of that root. */
export const buildConsole: (root: string) => Promise<void>
