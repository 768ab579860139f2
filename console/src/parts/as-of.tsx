/** Says of what is shown that it is how it was, and when: the stylesheet dims the panel that it stands in. */
import { clock } from "../format.ts"
import { link, linkSince, now } from "../live.ts"
import type { Loaded } from "./load.ts"

const Since = ({ ms }: { readonly ms: number }) => (
  <small class="as-of num" role="status">
    as of {clock(ms)}
  </small>
)

/** Of what the stream tells. */
export const AsOfCut = () => (link.value === "cut" ? <Since ms={linkSince.value} /> : null)

/** A read that was left out may be a slow one. */
const READS_LEFT_OUT = 3
const LEAST_MS = 10_000

/** Of what is read every `everyMs`: nobody reads for a page that is not looked at. */
export const AsOf = ({ of, everyMs }: { readonly of: Loaded<unknown>; readonly everyMs: number }) =>
  of.readAt !== null && now.value - of.readAt > Math.max(LEAST_MS, READS_LEFT_OUT * everyMs) ? (
    <Since ms={of.readAt} />
  ) : null
