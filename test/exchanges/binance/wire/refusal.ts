/**
 * Binance's own error answers: HTTP status, code and text, exactly as the venue words them, because ccxt maps some by text.
 * Source: developers.binance.com, Spot API, "Error Codes".
 */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export const illegalCharacters = (parameter: string) =>
  new Refusal(
    400,
    -1100,
    `Illegal characters found in parameter '${parameter}'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.`,
  )
export const missingParameter = (parameter: string) =>
  new Refusal(400, -1102, `Mandatory parameter '${parameter}' was not sent, was empty/null, or malformed.`)
export const emptyParameter = (parameter: string) => new Refusal(400, -1105, `Parameter '${parameter}' was empty.`)
export const unwantedParameter = (parameter: string) =>
  new Refusal(400, -1106, `Parameter '${parameter}' sent when not required.`)
export const tooPrecise = (parameter: string) =>
  new Refusal(400, -1111, `Parameter '${parameter}' has too much precision.`)
export const invalidTimeInForce = () => new Refusal(400, -1115, "Invalid timeInForce.")
export const invalidOrderType = () => new Refusal(400, -1116, "Invalid orderType.")
export const invalidSide = () => new Refusal(400, -1117, "Invalid side.")
export const invalidInterval = () => new Refusal(400, -1120, "Invalid interval.")
export const invalidSymbol = () => new Refusal(400, -1121, "Invalid symbol.")
export const filterFailure = (filter: string) => new Refusal(400, -1013, `Filter failure: ${filter}`)
export const staleTimestamp = () => new Refusal(400, -1021, "Timestamp for this request is outside of the recvWindow.")
export const futureTimestamp = () =>
  new Refusal(400, -1021, "Timestamp for this request was 1000ms ahead of the server's time.")
export const invalidSignature = () => new Refusal(400, -1022, "Signature for this request is not valid.")
export const recvWindowTooLarge = () => new Refusal(400, -1131, "recvWindow must be less than 60000.")
export const unsupportedOperation = () => new Refusal(400, -1020, "This operation is not supported.")
export const insufficientBalance = () =>
  new Refusal(400, -2010, "Account has insufficient balance for requested action.")
export const duplicateOrder = () => new Refusal(400, -2010, "Duplicate order sent.")
export const wrongRelation = () =>
  new Refusal(400, -2010, "The relationship of the prices for the orders is not correct.")
export const wouldTake = () => new Refusal(400, -2010, "Order would immediately match and take.")
export const wouldTrigger = () => new Refusal(400, -2010, "Stop price would trigger immediately.")
export const unknownOrderSent = () => new Refusal(400, -2011, "Unknown order sent.")
export const orderDoesNotExist = () => new Refusal(400, -2013, "Order does not exist.")
export const badKeyFormat = () => new Refusal(401, -2014, "API-key format invalid.")
export const unknownKey = () => new Refusal(401, -2015, "Invalid API-key, IP, or permissions for action.")
export const notServed = (what: string) => new Refusal(404, -1, `not served by the loopback exchange: ${what}`)
