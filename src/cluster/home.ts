/**
 * Where the owner of the database is spoken to: it says so itself, to all nodes, every half second. The one thing to know: one that was not heard for longer than that
 * is sent nothing, for what it is sent may be unknown for good; what is held meanwhile is not.
 */
import type { CableService, Peer } from "../ports/cable.ts"
import type { ClusterView, HomeService } from "../ports/cluster.ts"

const SUBJECT = "owner"
const TELL_MILLIS = 500
/** Two words may be late, or lost. */
const HEARD_MILLIS = 1_250

export interface HomeParts {
  readonly cable: Pick<CableService, "inbox" | "tell" | "hear" | "onUp">
  readonly view: Pick<ClusterView, "nodeId" | "owner" | "heard">
  readonly monotonic: () => number
  readonly every: (millis: number, work: () => void) => () => void
}

export interface Home extends HomeService {
  /** This process is the owner, and is spoken to under this term; until what is answered is called. */
  readonly announce: (term: number) => () => void
}

const read = (text: string): { readonly nodeId: string; readonly term: number } | undefined => {
  const [nodeId, term] = text.split(" ")
  const number = Number(term)
  return nodeId === undefined || !Number.isInteger(number) ? undefined : { nodeId, term: number }
}

export const makeHome = ({ cable, view, monotonic, every }: HomeParts): Home => {
  const listeners: Array<() => void> = []
  let known: Peer | undefined
  let heardAt = Number.NEGATIVE_INFINITY

  cable.hear(SUBJECT, (text, inbox) => {
    const owner = read(text)
    if (owner === undefined || (known !== undefined && owner.term < known.term)) return
    const isNews = peer() === undefined || owner.term > (known?.term ?? 0)
    if (known?.inbox !== inbox || known.term !== owner.term) known = { inbox, term: owner.term }
    heardAt = monotonic()
    view.heard(owner)
    if (isNews) for (const listener of listeners) listener()
  })

  const peer = (): Peer | undefined => {
    if (known === undefined || monotonic() - heardAt > HEARD_MILLIS) return undefined
    // The database knows of a later one, which was not heard yet.
    return (view.owner()?.term ?? 0) > known.term ? undefined : known
  }

  return {
    peer,
    onPeer: (listener) => void listeners.push(listener),
    announce: (term) => {
      const tell = (): void => cable.tell(SUBJECT, `${view.nodeId} ${term}`)
      const stops = [every(TELL_MILLIS, tell), cable.onUp(tell)]
      tell()
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
}
