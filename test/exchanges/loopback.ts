/** What every loopback exchange of a venue has: how it is begun, what a test does to it, and the judge of what arrived. */

export interface LoopbackUser {
  readonly apiKey: string
  readonly apiSecret: string
  /** Free amounts as decimal texts, by asset. */
  readonly balances: Readonly<Record<string, string>>
}

export interface LoopbackOptions<User> {
  /** 0, the default, takes any free port. */
  readonly port?: number
  readonly users?: ReadonlyArray<User>
  /** "still" has the synthetic liquidity but does not move; "empty" has none. Default "moving". Not used by a replay. */
  readonly market?: "moving" | "still" | "empty"
  readonly seed?: number
  /** Between two steps of the moving market; default 100 ms. */
  readonly stepMillis?: number
  /** How far the venue's clock is ahead of this host's; default 0. A function: for tests that move it. */
  readonly clockAheadMillis?: number | (() => number)
}

export interface LoopbackExchange<User, Fault, Placement, SocketKind> {
  readonly port: number
  readonly url: string
  /** A VENUE_ROUTES value: every host of the venue, those of its test networks too, to this exchange. */
  readonly routes: Readonly<Record<string, string>>
  readonly addUser: (user: User) => void
  /** A key that its owner has deleted is refused in the venue's own words from then on; its open sockets stay. */
  readonly removeUser: (apiKey: string) => void
  readonly fault: (fault: Fault) => void
  /** The judge: every placement that arrived, by client order id, and how many orders it made. */
  readonly placements: () => ReadonlyArray<Placement>
  /** How often each `METHOD /path`, and each operation of a socket, arrived. */
  readonly counts: () => Readonly<Record<string, number>>
  readonly socketCount: (kind: SocketKind) => number
  /** Sets the anonymous amount of a level; "0" removes it. Fills resting orders it reaches. */
  readonly setLevel: (symbol: string, side: "bids" | "asks", price: string, quantity: string) => void
  /** A market order of no account. */
  readonly trade: (symbol: string, side: "BUY" | "SELL", quantity: string) => void
  readonly stop: () => Promise<void>
}
