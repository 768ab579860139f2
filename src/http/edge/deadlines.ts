/**
 * Requests that wait for an answer, in order of arrival per time limit: a sweep looks at the heads only. A timer per request costs
 * more than the rest of its bookkeeping, and a list of answered requests would keep them alive.
 */

/** A member of one list at a time; the list owns the links. */
export abstract class Waiting {
  previous: Waiting | undefined = undefined
  next: Waiting | undefined = undefined
  list: WaitingList | undefined = undefined
  /** Monotonic ms. */
  abstract readonly receivedAt: number
  /** Called once, when the time is over; the member has left its list. */
  abstract expire(): void
}

class WaitingList {
  first: Waiting | undefined = undefined
  last: Waiting | undefined = undefined
  size = 0
  readonly millis: number
  constructor(millis: number) {
    this.millis = millis
  }
}

/** While there is one that waits: a gateway at rest is not woken. */
const SWEEP_MILLIS = 50

export class Deadlines {
  private readonly lists = new Map<number, WaitingList>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly monotonic: () => number) {}

  add(member: Waiting, millis: number): void {
    const list = this.lists.get(millis) ?? new WaitingList(millis)
    if (list.size === 0) this.lists.set(millis, list)
    member.list = list
    member.previous = list.last
    if (list.last === undefined) list.first = member
    else list.last.next = member
    list.last = member
    list.size++
    this.timer ??= setInterval(() => this.look(), SWEEP_MILLIS).unref()
  }

  /** Does nothing for one that is in no list. */
  remove(member: Waiting): void {
    const { list, previous, next } = member
    if (list === undefined) return
    if (previous === undefined) list.first = next
    else previous.next = next
    if (next === undefined) list.last = previous
    else next.previous = previous
    member.list = undefined
    member.previous = undefined
    member.next = undefined
    list.size--
  }

  get size(): number {
    let size = 0
    for (const list of this.lists.values()) size += list.size
    return size
  }

  sweep(now: number): void {
    for (const list of this.lists.values())
      while (list.first !== undefined && now - list.first.receivedAt >= list.millis) {
        const member = list.first
        this.remove(member)
        member.expire()
      }
  }

  private look(): void {
    this.sweep(this.monotonic())
    if (this.size === 0) this.close()
  }

  close(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }
}
