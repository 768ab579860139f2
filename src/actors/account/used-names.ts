/**
 * Which keys and client order ids an account's orders have, so that an order can be known to be new before its unit is stored. The one thing to
 * know: it may take a new name for a used one, and never a used one for new. Until all names of the store are read, none is new.
 */
import { Effect, Exit } from "effect"
import type { TradingAccountId } from "../../domain/ids.ts"
import type { SubmitRequest } from "../../domain/order/submit-request.ts"
import type { Self } from "../../kernel/behaviour.ts"
import { type AccountStore, USED_NAMES_PAGE } from "../../ports/account-store.ts"

const FIRST_PLACES = 64
/** 4 bytes each, at most half of them taken: an account with more than 262,144 names counts as one whose names are not known. */
const PLACES_MAX = 524_288
/** Of all accounts together: 64 MiB. */
const ALL_PLACES_MAX = 16_777_216

/** How many places the tables of all accounts have. */
export class NamePlaces {
  taken = 0
  /** Accounts with more names than one may have: they are not read again. */
  readonly tooMany = new Set<TradingAccountId>()
}

/** From its own place on; in a table that is half full chance puts no text farther than about 70. Texts that were chosen to meet end the table. */
const STEPS_MAX = 256

/** FNV-1a of 32 bits over the text's code units; 0 is an empty place. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0 || 1
}

/** Texts by their hash: one that was never added is found by about one of 16,384, of a full table. */
class HashedTexts {
  #places = new Uint32Array(FIRST_PLACES)
  #size = 0

  get places(): number {
    return this.#places.length
  }

  /** Its next text needs twice the places. */
  get isFull(): boolean {
    return this.#size * 2 >= this.#places.length
  }

  has(text: string): boolean {
    const hash = hashOf(text)
    const place = this.#placeOf(hash)
    return place === null || this.#places[place] === hash
  }

  /** Only where there is room. False: too many texts meet at its place. */
  add(text: string): boolean {
    return this.#put(hashOf(text))
  }

  /** False as with `add`. */
  double(): boolean {
    const before = this.#places
    this.#places = new Uint32Array(before.length * 2)
    this.#size = 0
    return before.every((hash) => hash === 0 || this.#put(hash))
  }

  #put(hash: number): boolean {
    const place = this.#placeOf(hash)
    if (place === null) return false
    if (this.#places[place] !== hash) this.#size++
    this.#places[place] = hash
    return true
  }

  /** Where the hash stands, or would; null: farther than it may be. */
  #placeOf(hash: number): number | null {
    const mask = this.#places.length - 1
    for (let step = 0; step < STEPS_MAX; step++) {
      const place = (hash + step) & mask
      if (this.#places[place] === 0 || this.#places[place] === hash) return place
    }
    return null
  }
}

type Names = Pick<SubmitRequest, "idempotencyKey" | "clientOrderId">

/** The account whose names they are. */
interface Owner {
  readonly id: TradingAccountId
  readonly parts: { readonly store: Pick<AccountStore["Type"], "usedNames">; readonly namePlaces: NamePlaces }
  readonly self: Pick<Self<never>, "fork">
}

export class UsedNames {
  /** Null: there are none yet, or it is closed. */
  #texts: HashedTexts | null = null
  #isClosed: boolean
  #reading: "not begun" | "under way" | "over" = "not begun"

  constructor(private readonly owner: Owner) {
    this.#isClosed = owner.parts.namePlaces.tooMany.has(owner.id)
  }

  /** Certainly no order of the account has one of them. Asked for the first time, the store's names begin to be read. */
  areNew({ idempotencyKey, clientOrderId }: Names): boolean {
    if (this.#isClosed) return false
    if (this.#reading === "not begun") this.#read("keys", "")
    if (this.#reading !== "over") return false
    const isUsed = (name: string | null | undefined): boolean =>
      // No page has the empty one.
      name === "" || (name !== null && name !== undefined && this.#texts?.has(name) === true)
    return !isUsed(idempotencyKey) && !isUsed(clientOrderId)
  }

  /** Of an order that is about to be stored; from the account's first one on. */
  add({ idempotencyKey, clientOrderId }: Names): void {
    this.#add(idempotencyKey)
    if (clientOrderId !== idempotencyKey) this.#add(clientOrderId)
  }

  /** The account sleeps, or begins anew. */
  close(): void {
    if (this.#texts !== null) this.owner.parts.namePlaces.taken -= this.#texts.places
    this.#texts = null
    this.#isClosed = true
  }

  #add(name: string | null | undefined): void {
    if (name === null || name === undefined || this.#isClosed) return
    if (this.#texts === null) {
      this.#texts = new HashedTexts()
      this.owner.parts.namePlaces.taken += FIRST_PLACES
    }
    if (this.#texts.isFull && !this.#mayGrow(this.#texts)) this.close()
    else if (!this.#texts.add(name)) this.close()
  }

  #mayGrow(texts: HashedTexts): boolean {
    const { id, parts } = this.owner
    const { namePlaces } = parts
    if (texts.places >= PLACES_MAX) namePlaces.tooMany.add(id)
    if (texts.places >= PLACES_MAX || namePlaces.taken + texts.places > ALL_PLACES_MAX) return false
    namePlaces.taken += texts.places
    return texts.double()
  }

  /** Page by page, keys first. What is added meanwhile is there already. */
  #read(kind: "keys" | "clientOrderIds", after: string): void {
    this.#reading = "under way"
    const { id, parts, self } = this.owner
    self.fork(Effect.zipRight(Effect.yieldNow(), parts.store.usedNames(id, kind, after)), (exit) => {
      if (Exit.isFailure(exit)) {
        this.#reading = "not begun"
        return
      }
      const names = exit.value
      for (const name of names) this.#add(name)
      if (this.#isClosed) return
      if (names.length === USED_NAMES_PAGE) this.#read(kind, names.at(-1)!)
      else if (kind === "keys") this.#read("clientOrderIds", "")
      else this.#reading = "over"
    })
  }
}
