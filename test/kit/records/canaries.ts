/**
 * Canary secrets (scoreboard S6): created here, planted by a test, and searched for in everything that is written or sent. The one thing to know:
 * a text is searched for in every encoding that it may have: URL, base64, hex or JSON.
 */
import { randomBytes } from "node:crypto"

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
/** The end of a key, which a mask may show in part: letters only, so that no number happens to look like it. */
const tail = (): string => [...randomBytes(10)].map((byte) => LETTERS[byte % LETTERS.length]).join("")

export class Canaries {
  readonly #planted = new Map<string, string>()

  /** A secret of our own making. */
  make(what: string): string {
    return this.plant(what, `canary-${randomBytes(12).toString("hex")}-${tail()}`)
  }

  /** One that somebody else made. */
  plant(what: string, text: string): string {
    this.#planted.set(text, what)
    return text
  }

  get count(): number {
    return this.#planted.size
  }

  /** What of it is found in a text: its own names, never the secrets. Kinds that may be there are left out. */
  in(text: string, allowed: (what: string) => boolean = () => false): ReadonlyArray<string> {
    return [...this.#planted].flatMap(([secret, what]) => {
      if (allowed(what)) return []
      const bytes = Buffer.from(secret)
      const dresses: Readonly<Record<string, string>> = {
        plain: secret,
        url: encodeURIComponent(secret),
        json: JSON.stringify(secret).slice(1, -1),
        // The first third of a base64 text does not depend on what follows it; what comes before shifts it by one of three.
        ...Object.fromEntries(
          [0, 1, 2].map((shift) => [`base64 ${shift}`, bytes.subarray(shift, shift + 24).toString("base64")]),
        ),
        hex: bytes.toString("hex"),
      }
      return Object.entries(dresses).flatMap(([dress, form]) => (text.includes(form) ? [`${what} (${dress})`] : []))
    })
  }

  /** Which ends of secrets are shown further than a mask may: more than four characters. */
  tailsIn(text: string): ReadonlyArray<string> {
    return [...this.#planted].flatMap(([secret, what]) =>
      secret.startsWith("canary-") && text.includes(secret.slice(-5)) ? [what] : [],
    )
  }
}
