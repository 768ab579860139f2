/** Answers of the server API as text: payloads stand in them as they were published, byte for byte. */
import type { JsonText } from "../protocol/protocol.ts"

/** JSON that is written as it is. */
export class Verbatim {
  constructor(readonly json: JsonText) {}
}

/** As JSON.stringify, but for what is verbatim; fields that are undefined are left out. */
export const written = (value: unknown): string => {
  if (value instanceof Verbatim) return value.json
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${written(field)}`).join(",")}}`
}
