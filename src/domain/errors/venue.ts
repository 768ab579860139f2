/** Venues, and what came of asking one. */
import { Schema } from "effect"

export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", { reason: Schema.String }) {
  override message = "Venue error"
}

/** *Means unknown, not failed*: what was asked may have happened. Reconcile before anything is repeated. */
export class VenueUnavailable extends Schema.TaggedError<VenueUnavailable>()("VenueUnavailable", {
  reason: Schema.String,
}) {
  override message = "Venue unavailable"
}

export class InvalidVenue extends Schema.TaggedError<InvalidVenue>()("InvalidVenue", {
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

export class VenueInactive extends Schema.TaggedError<VenueInactive>()("VenueInactive", {}) {
  override message = "Venue inactive"
}

export class VenueTimeout extends Schema.TaggedError<VenueTimeout>()("VenueTimeout", {}) {
  override message = "Venue timeout"
}

export class NotSupportedByVenue extends Schema.TaggedError<NotSupportedByVenue>()("NotSupportedByVenue", {
  feature: Schema.String,
}) {
  override message = "Not supported by venue"
}

/** What the venue does with orders is not proven, and the installation has not opted in: nothing was sent. */
export class ExperimentalVenue extends Schema.TaggedError<ExperimentalVenue>()("ExperimentalVenue", {
  venue: Schema.String,
  /** What nobody has seen work there. */
  missing: Schema.String,
  /** Who allows it, and how. */
  optIn: Schema.String,
}) {
  override message = `Orders at ${this.venue} are experimental, and this installation has not opted in`
}
