/** Venues, and failed requests to them. */
import { Schema } from "effect"
import { Failure } from "./failure.ts"

export class VenueFailed extends Failure<VenueFailed>()("VenueFailed", { reason: Schema.String }) {
  override message = "Venue error"
}

/** *Means unknown, not failed*: what was asked may have happened. Reconcile before anything is repeated. */
export class VenueUnavailable extends Failure<VenueUnavailable>()("VenueUnavailable", {
  reason: Schema.String,
}) {
  override message = "Venue unavailable"
}

export class InvalidVenue extends Failure<InvalidVenue>()("InvalidVenue", {
  /** As it was given. */
  venue: Schema.String,
  form: Schema.String,
  /** The one that has this name in the form that is taken. */
  didYouMean: Schema.optional(Schema.String),
  /** Where those that there are stand. */
  list: Schema.String,
}) {
  override message = "Invalid venue"
}

export class VenueInactive extends Failure<VenueInactive>()("VenueInactive", {}) {
  override message = "Venue inactive"
}

export class VenueTimeout extends Failure<VenueTimeout>()("VenueTimeout", {}) {
  override message = "Venue timeout"
}

export class NotSupportedByVenue extends Failure<NotSupportedByVenue>()("NotSupportedByVenue", {
  feature: Schema.String,
}) {
  override message = "Not supported by venue"
}

/** What the venue does with orders is not proven, and the installation has not opted in: nothing was sent. */
export class ExperimentalVenue extends Failure<ExperimentalVenue>()("ExperimentalVenue", {
  venue: Schema.String,
  /** What has not been proven there. */
  missing: Schema.String,
  /** Who allows it, and how. */
  optIn: Schema.String,
}) {
  override message = `Orders at ${this.venue} are experimental, and this installation has not opted in`
}
