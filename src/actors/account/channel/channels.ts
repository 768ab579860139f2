/**
 * The channels of all accounts: each one's position, what it published before, and the initial state of its maps. The one thing to know: a
 * channel's position outlives its actor, so a sleeping account still reports it.
 */
import { type Context, Effect, Exit } from "effect"
import { accountEventText, storedTags } from "../../../domain/account/event.ts"
import type { TradingAccount } from "../../../domain/account/trading-account.ts"
import { accountPositionsChannel, parseChannel } from "../../../domain/channel.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import type { AccountStore } from "../../../ports/account-store.ts"
import type { ChannelPort, ChannelSource, StoredPublication, StreamPosition } from "../../../ports/channel-port.ts"
import type { AccountDirectory } from "../directory.ts"
import type { AccountEntries, ReadState } from "../messages.ts"

interface Standing {
  /** Where the channel stood when the account's actor began to tell its positions. */
  readonly awakeSince: number
  /** The newest published event. */
  offset: number
}

export interface AccountChannels {
  /** The account's actor woke, or it never will: the channel stands at this sequence, its positions have been told since the other. */
  readonly loaded: (id: TradingAccountId, sequence: number, awakeSince: number) => void
  readonly published: (id: TradingAccountId, sequence: number) => void
  readonly isKnown: (id: TradingAccountId) => boolean
}

type Of = "events" | ReadState["of"]

/**
 * What a venue changed while no actor watched has no event, a position that is gone the least of all: positions that were told before
 * the actor woke cannot be brought up to date by what is told after, so they are of another epoch.
 */
const epochOf = ({ channelEpoch }: TradingAccount, of: Of, awakeSince: number): string =>
  of === "positions" ? `${channelEpoch}.${awakeSince}` : channelEpoch

/** Of an account that is just being connected. */
const BEGINNING: Standing = { awakeSince: 0, offset: 0 }
const NOWHERE: StreamPosition = { epoch: "", offset: 0, snapshot: null }

export const attachAccountChannels = (options: {
  readonly channels: Context.Tag.Service<typeof ChannelPort>
  readonly accounts: AccountDirectory
  readonly store: Pick<Context.Tag.Service<typeof AccountStore>, "events">
  readonly wake: (id: TradingAccountId) => void
  readonly readState: (id: TradingAccountId, of: ReadState["of"]) => Effect.Effect<AccountEntries, DomainError>
  /** Runs in the scope of the accounts. */
  readonly run: (work: Effect.Effect<void>) => void
}): AccountChannels => {
  const { channels, accounts, store, wake, readState, run } = options
  const standings = new Map<TradingAccountId, Standing>()

  /** Calls back later, whatever comes of it; null when nothing does. */
  const later = <A>(work: Effect.Effect<A | null, unknown>, done: (answer: A | null) => void): void =>
    run(
      Effect.yieldNow().pipe(
        Effect.zipRight(work),
        Effect.tapDefect((cause) => Effect.logError("an account channel cannot be read", cause)),
        Effect.exit,
        Effect.flatMap((exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : null))),
      ),
    )

  const accountOf = (name: string) => {
    const channel = parseChannel(name)
    return channel !== undefined && "tradingAccountId" in channel ? accounts.find(channel.tradingAccountId) : undefined
  }

  const sourceOf = (of: Of): ChannelSource => ({
    opened: (name) => {
      const account = accountOf(name)
      if (account !== undefined) wake(account.tradingAccountId)
    },
    closed: () => undefined,
    position: (name) => {
      const account = accountOf(name)
      if (account === undefined) return NOWHERE
      const { awakeSince, offset } = standings.get(account.tradingAccountId) ?? BEGINNING
      return { epoch: epochOf(account, of, awakeSince), offset, snapshot: null }
    },
  })

  const stateOf =
    (of: ReadState["of"]): NonNullable<ChannelSource["state"]> =>
    (name, done) => {
      const account = accountOf(name)
      const read =
        account === undefined
          ? Effect.succeed(null)
          : Effect.map(readState(account.tradingAccountId, of), ({ sequence, awakeSince, entries }) => ({
              epoch: epochOf(account, of, awakeSince),
              offset: sequence,
              entries,
            }))
      later(read, done)
    }

  const replay: NonNullable<ChannelSource["replay"]> = (name, after, upTo, done) => {
    const id = accountOf(name)?.tradingAccountId
    const read =
      id === undefined
        ? Effect.succeed(null)
        : Effect.map(store.events(id, after, upTo), (events) => {
            if (events === null) return null
            return events.map(
              (event): StoredPublication => ({
                offset: event.sequence,
                json: accountEventText(id, event.sequence, event),
                tags: storedTags(event.kind, event.payload),
              }),
            )
          })
    later(read, done)
  }

  channels.attach("tradingAccount", { ...sourceOf("events"), replay })
  channels.attach("accountOrders", { ...sourceOf("orders"), state: stateOf("orders") })
  channels.attach("accountPositions", { ...sourceOf("positions"), state: stateOf("positions") })

  return {
    loaded: (id, sequence, awakeSince) => {
      const before = standings.get(id)
      standings.set(id, { awakeSince, offset: sequence })
      if (before !== undefined && before.awakeSince !== awakeSince) channels.invalidate(accountPositionsChannel(id))
    },
    published: (id, sequence) => {
      const standing = standings.get(id)
      if (standing !== undefined) standing.offset = sequence
    },
    isKnown: (id) => standings.has(id),
  }
}
