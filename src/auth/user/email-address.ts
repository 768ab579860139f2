/** Normalises e-mail addresses: one spelling per address. */
import { Effect } from "effect"
import { InvalidEmail } from "../../domain/errors/user.ts"

/** ASCII only: look-alikes and invisible characters would make twins of one address. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+$/

export const normalised = (email: string): string => email.trim().normalize("NFC").toLowerCase()

/** The address in its one spelling. */
export const checkedEmail = (given: string): Effect.Effect<string, InvalidEmail> => {
  const email = normalised(given)
  return email.length > 254 || !EMAIL.test(email) ? new InvalidEmail() : Effect.succeed(email)
}
