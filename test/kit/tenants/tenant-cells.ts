/** Acts of one tenant's members that name an object of another tenant, and the required answer: exactly the one for a name that never existed. */
import { randomUUID } from "node:crypto"
import type { DeclaredRoute } from "../http-fuzz/declared-routes.ts"
import type { Furnished, Kind, Things } from "./furnish.ts"
import type { Ask, Heard } from "./tenant-lines.ts"
import { type Fields, type Meaning, type Naming, namingsOf, ROUTES, withField } from "./tenant-names.ts"

/** What is named, by kind, at this place of the list. */
type Pick = (kind: Kind) => string

const ANY: ReadonlyArray<Kind> = ["wallet", "account", "dealer", "user", "credential"]

const kindsOf = (meaning: Meaning): ReadonlyArray<Kind> => {
  if (typeof meaning !== "string") return meaning
  switch (meaning) {
    case "any":
      return ANY
    case "own":
    case "market":
    case "cursor":
    case "secret":
    case "address":
    case "operator":
      return []
    default:
      return [meaning]
  }
}

const isList = (meaning: Meaning): boolean => typeof meaning !== "string"

const nobodys: Readonly<Record<Kind, string>> = {
  account: randomUUID(),
  apiKey: randomUUID(),
  clientOrder: `resting-of-${randomUUID()}`,
  credential: randomUUID(),
  dealer: randomUUID(),
  email: `${randomUUID()}@example.com`,
  order: randomUUID(),
  orderList: randomUUID(),
  profile: `profile-of-${randomUUID()}`,
  quote: randomUUID(),
  session: randomUUID(),
  subscription: randomUUID(),
  tenant: "nowhere",
  user: randomUUID(),
  wallet: randomUUID(),
}

export interface NamingCell {
  readonly route: DeclaredRoute
  /** `walletId` or `sourceWalletId + destWalletId`. */
  readonly what: string
  /** With what is named of the victim's, and with names of nobody. */
  readonly fields: (own: Furnished["own"], pick: Pick) => Fields
  readonly things: ReadonlyArray<Readonly<Partial<Record<Kind, string>>>>
  /** It may be answered otherwise than a name of nobody. */
  readonly isKnown: boolean
}

/** Without the empty one. */
const subsetsOf = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: 2 ** items.length - 1 }, (_, set) => items.filter((_item, place) => ((set + 1) >> place) & 1))

/**
 * Each field with every record of its kind, and each set of fields with the first of each; the fields that are not in the set are the
 * caller's own.
 */
export const namingCells = (routes: ReadonlyArray<DeclaredRoute>, victim: Things): ReadonlyArray<NamingCell> =>
  routes.flatMap((route) => {
    const row = ROUTES[route.name]
    const named = namingsOf(route).flatMap((naming) =>
      kindsOf(naming.meaning).map((kind): Naming & { readonly kind: Kind } => ({ ...naming, kind })),
    )
    return subsetsOf(named)
      .filter((some) => new Set(some.map(({ field }) => field)).size === some.length)
      .map((some): NamingCell => {
        const first = some[0]!
        const things =
          some.length === 1
            ? victim[first.kind].map((thing) => ({ [first.kind]: thing }))
            : [Object.fromEntries(some.map(({ kind }) => [kind, victim[kind][0]!]))]
        const what = some
          .map(({ field, kind, meaning }) => (meaning === "any" ? `${field} (${kind})` : field))
          .join(" + ")
        return {
          route,
          what,
          fields: (own, pick) =>
            some.reduce<Fields>(
              (fields, { field, kind, meaning }) =>
                withField(fields, field, isList(meaning) ? [pick(kind)] : pick(kind)),
              row?.ask?.(own, new Set(some.map(({ field }) => field))) ?? {},
            ),
          things,
          isKnown: row?.known?.[what] !== undefined,
        }
      })
  })

/** Everything but the id of the request, and the names that were asked for. */
const comparable = (text: string, names: ReadonlyArray<string>): string =>
  names.reduce((left, name) => left.replaceAll(name, "…"), text.replace(/"request_id":"[^"]*"/, '"request_id":""'))

const isNothing = ({ status, envelope }: Heard): boolean =>
  status >= 400 ? !envelope.success : Array.isArray(envelope.data) && envelope.data.length === 0

export interface Verdict {
  readonly cell: string
  readonly fault: string | undefined
  readonly heard: Heard
}

/** The cell's acts by this member, each judged. `tells`: what an answer says that is the other tenant's alone. */
export const judgeNaming = async (
  cell: NamingCell,
  who: Furnished,
  ask: Ask,
  tells: (text: string, but: ReadonlyArray<string>) => string | undefined,
): Promise<ReadonlyArray<Verdict>> => {
  const { route, fields, things, what, isKnown } = cell
  const none = await ask(
    route,
    who,
    fields(who.own, (kind) => nobodys[kind]),
  )
  const verdicts: Array<Verdict> = []
  for (const thing of things) {
    const names = Object.values(thing)
    const heard = await ask(
      route,
      who,
      fields(who.own, (kind) => thing[kind]!),
    )
    const told = tells(heard.text, names)
    const same = comparable(heard.text, names) === comparable(none.text, Object.values(nobodys))
    const fault =
      told !== undefined
        ? `tells ${told}`
        : isKnown
          ? undefined
          : heard.status !== none.status || !same
            ? `should be as for a name of nobody: ${none.status} ${none.text.slice(0, 300)}`
            : isNothing(heard)
              ? undefined
              : "should be refused or empty"
    verdicts.push({ cell: `${route.name} ${what} × ${who.name}`, fault, heard })
  }
  return verdicts
}
