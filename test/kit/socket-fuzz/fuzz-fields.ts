/** What was parsed of a command or a reply. */

export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null
