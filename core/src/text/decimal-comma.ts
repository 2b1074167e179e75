const WITH_COMMA = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/

/** The number that `1,5` or `1.234,50` says where commas are decimal; undefined for what is written otherwise. */
export const readDecimalComma = (text: string): number | undefined =>
  WITH_COMMA.test(text) ? Number(text.replaceAll('.', '').replace(',', '.')) : undefined
