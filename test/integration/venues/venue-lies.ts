/**
 * Each fact that a connector has of a venue, as a lie. `torture -- venue-sabotages` names one, and every connector of a test then believes it: over
 * what the test itself has changed of the profile, of which the lie leaves all but its own fact.
 */
import type { Paging, VenueProfile } from "../../../src/venues/adapters/profile.ts"

/** The same profile once more: that venue has no such fact. */
export type Lie = (profile: VenueProfile) => VenueProfile

/** No row and no parameter of a venue has this name. */
const NOWHERE = "-"

/** The same question for its first page, and never another: each page is the last of its window. */
const onePage = (paging: Paging): Paging => {
  if (paging.way === "WHOLE") return paging
  const { size, sizeParam, params, windowMillis } = paging
  return {
    way: "CURSOR",
    // Where a list begins at an id, that is how its first page is asked for.
    param: "param" in paging ? paging.param : NOWHERE,
    field: NOWHERE,
    size,
    ...(sizeParam !== undefined && { sizeParam }),
    ...(params !== undefined && { params }),
    ...(windowMillis !== undefined && { windowMillis }),
  }
}

const endless = (paging: Paging): Paging => {
  if (paging.way === "WHOLE" || paging.windowMillis === undefined) return paging
  const { windowMillis: _, ...others } = paging
  return others
}

const short = (paging: Paging): Paging =>
  paging.way === "WHOLE" || paging.way === "CURSOR" || paging.last === "SHORT" ? paging : { ...paging, last: "SHORT" }

const ofOpenOrders =
  (told: (paging: Paging) => Paging): Lie =>
  (profile) => {
    const openOrders = told(profile.openOrders)
    return openOrders === profile.openOrders ? profile : { ...profile, openOrders }
  }

const ofFills =
  (told: (paging: Paging) => Paging): Lie =>
  (profile) => {
    const { fills } = profile
    const paging = told(fills.paging)
    return paging === fills.paging ? profile : { ...profile, fills: { ...fills, paging } }
  }

const ofEndedOrders =
  (told: (paging: Paging) => Paging): Lie =>
  (profile) => {
    const { endedOrders } = profile
    if (endedOrders === null) return profile
    const paging = told(endedOrders.paging)
    return paging === endedOrders.paging ? profile : { ...profile, endedOrders: { ...endedOrders, paging } }
  }

/** By what is believed. Of answers and events it is what is believed too soon: the other way round a connector only asks for what it knows. */
export const LIES: Readonly<Record<string, Lie>> = {
  "that a cancel that was answered is carried out": (profile) =>
    profile.cancelAnswer === "DONE" ? profile : { ...profile, cancelAnswer: "DONE" },
  "that a change that was answered is carried out": (profile) =>
    profile.amendAnswer === "DONE" ? profile : { ...profile, amendAnswer: "DONE" },
  "that fills come with the events of orders": (profile) =>
    profile.fillsWithOrders ? profile : { ...profile, fillsWithOrders: true },
  "that the first page of the open orders has all of them": ofOpenOrders(onePage),
  "that the first page of the fills has all of them": ofFills(onePage),
  "that the first page of the orders that ended has all of them": ofEndedOrders(onePage),
  "that a question for fills is answered to this day": ofFills(endless),
  "that a question for orders that ended is answered to this day": ofEndedOrders(endless),
  "that a page with fewer fills than it may have is the last": ofFills(short),
  "that an order last changed when it was created": (profile) => {
    const { created, updated } = profile.orderTimes
    return updated === created ? profile : { ...profile, orderTimes: { created, updated: created } }
  },
}

/** What the connector of a test is to believe of this venue. */
export const told = (profile: VenueProfile): VenueProfile => {
  const sabotage = process.env["VENUE_SABOTAGE"]
  if (sabotage === undefined) return profile
  const { venue, lie }: { readonly venue: string; readonly lie: string } = JSON.parse(sabotage)
  if (venue !== profile.venue) return profile
  const lied = LIES[lie]
  if (lied === undefined) throw new Error(`there is no lie "${lie}"`)
  return lied(profile)
}
