/**
 * A long document in the encodings that clients accept: each is made once, at its first request, on a thread other than the event loop's. The one
 * thing to know: an entity tag belongs to one encoding, so that a cached copy is never mistaken for another encoding.
 */
import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

type Coding = "br" | "gzip" | "identity"

/** The bytes of one encoding with its own headers. */
export interface Representation {
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
}

/**
 * Of the page's largest file, 1.7 MB: 405 kB in 0.1 to 0.4 s. Quality 11 would spare a tenth of that for 12 s of a core.
 */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6

const encoded = (bytes: Uint8Array, coding: Coding): Promise<Uint8Array> | Uint8Array => {
  if (coding === "identity") return bytes
  if (coding === "gzip") return zip(bytes, { level: GZIP_LEVEL })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotli(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** The coding that the client likes best; of equals the shortest. Without a header, and for one that cannot be read: as it is. */
export const preferredCoding = (acceptEncoding: string): Coding => {
  const weights = new Map<string, number>()
  for (const part of acceptEncoding.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((it) => it.trim())
    const weight = parameters.map((it) => WEIGHT.exec(it)?.[1]).find((it) => it !== undefined)
    if (name !== "") weights.set(name.toLowerCase(), weight === undefined ? 1 : Number(weight))
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0
  // What is not mentioned may still be sent as it is, after all that is.
  const plain = weights.get("identity") ?? 0
  const best = weightOf("br") >= weightOf("gzip") ? "br" : "gzip"
  return weightOf(best) > 0 && weightOf(best) >= plain ? best : "identity"
}

/** Whether `If-None-Match` names what would be sent: compared weakly, as a proxy on the way may have weakened it. */
export const hasRepresentation = (ifNoneMatch: string, { etag }: Representation): boolean =>
  ifNoneMatch.split(",").some((tag) => {
    const given = tag.trim()
    return given === "*" || given.replace(/^W\//, "") === etag
  })

/** What is served in the encoding that the client takes. */
export interface ServedDocument {
  readonly in: (coding: Coding) => Promise<Representation>
}

export class TextDocument implements ServedDocument {
  private bytes: Promise<Uint8Array> | undefined
  private readonly made = new Map<Coding, Promise<Representation>>()

  /** `make` is called once, at the first request. */
  constructor(private readonly make: () => Uint8Array | Promise<Uint8Array>) {}

  in(coding: Coding): Promise<Representation> {
    const known = this.made.get(coding)
    if (known !== undefined) return known
    const making = this.represent(coding)
    this.made.set(coding, making)
    // A failure is told to those who wait; the next request tries again.
    making.catch(() => this.made.delete(coding))
    return making
  }

  private async represent(coding: Coding): Promise<Representation> {
    if (this.bytes === undefined) {
      this.bytes = Promise.resolve(this.make())
      this.bytes.catch(() => {
        this.bytes = undefined
      })
    }
    const bytes = await this.bytes
    const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 27)
    const etag = `"${hash}${coding === "identity" ? "" : `-${coding}`}"`
    const own: Record<string, string> = { Vary: "Accept-Encoding", ETag: etag }
    if (coding !== "identity") own["Content-Encoding"] = coding
    return { body: await encoded(bytes, coding), headers: own, etag }
  }
}
