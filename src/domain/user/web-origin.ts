/** Which web origins may connect to the gateway from a browser. */

const sameHost = (origin: string, host: string): boolean => {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}

/** By a request's Origin and Host, each empty without it. No Origin: it is no page of a browser that asks. `*` allows every page. */
export const isOriginAllowed = (origin: string, host: string, allowed: ReadonlyArray<string>): boolean =>
  origin === "" || sameHost(origin, host) || allowed.includes("*") || allowed.includes(origin)
