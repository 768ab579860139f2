/**
 * Other processes' monotonic clocks, as far as a deadline needs them. Every frame has its sender's time. What arrives was written before: so the sender's
 * clock is at least that far ahead of ours (or less far behind), and the greatest of all frames is nearest to the truth, too small by the time on the
 * way. A deadline that is told in it is never later than ours.
 */

/** Clocks drift apart by far less than 1 ms in it; and one that stood still with its machine is found out after it. */
const WINDOW_MILLIS = 1_000
/** Of nothing newer nothing is known. */
const HEARD_MILLIS = 3_000

interface Lead {
  turnedAt: number
  heardAt: number
  before: number
  now: number
}

export class PeerClocks {
  private readonly leads = new Map<string, Lead>()

  heard(peer: string, stamp: number, now: number): void {
    const ahead = stamp - now
    const lead = this.leads.get(peer)
    if (lead === undefined) {
      this.leads.set(peer, { turnedAt: now, heardAt: now, before: Number.NEGATIVE_INFINITY, now: ahead })
      return
    }
    if (now - lead.turnedAt >= WINDOW_MILLIS) {
      lead.before = now - lead.turnedAt < 2 * WINDOW_MILLIS ? lead.now : Number.NEGATIVE_INFINITY
      lead.now = ahead
      lead.turnedAt = now
    } else if (ahead > lead.now) lead.now = ahead
    lead.heardAt = now
  }

  /** What is to be added to a time of ours; undefined: it was not heard lately. */
  leadOf(peer: string, now: number): number | undefined {
    const lead = this.leads.get(peer)
    if (lead === undefined || now - lead.heardAt > HEARD_MILLIS) return undefined
    return Math.max(lead.before, lead.now)
  }

  forgetSilent(now: number): void {
    for (const [peer, { heardAt }] of this.leads) if (now - heardAt > 10 * HEARD_MILLIS) this.leads.delete(peer)
  }
}
