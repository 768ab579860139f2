/** The words of the guides, which scripts/console.mjs reads from their tables. */
declare module "guide:meanings" {
  const meanings: Readonly<
    Record<
      "status" | "rejectReason" | "cancelReason" | "orderType" | "event" | "mode",
      Readonly<Record<string, string>>
    >
  >
  export default meanings
}

/** A sheet, which the bundler puts beside the script. */
declare module "*.css"
