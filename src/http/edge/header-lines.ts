/** A request's headers as they came: name and value by turns, a header with several lines several times. */

interface Lines {
  forEach(each: (name: string, value: string) => void): void
}

export type HeaderLines = ReadonlyArray<string>

/** Gone with the request when the route's function returns: so they are kept. */
export const headerLines = (request: Lines): HeaderLines => {
  const headers: Array<string> = []
  request.forEach((name, value) => {
    headers.push(name, value)
  })
  return headers
}

/** The first line of a header; empty when there is none. */
export const firstLine = (headers: HeaderLines, name: string): string => {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return headers[i + 1]!
  return ""
}

/** All lines of a header, as one list: a proxy may append its own line instead of extending the client's. */
export const joinedLines = (headers: HeaderLines, name: string): string => {
  let lines = ""
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === name) lines = lines === "" ? headers[i + 1]! : `${lines}, ${headers[i + 1]!}`
  return lines
}
