/** The names that models write; all others stand as they are. */
const NAMED: ReadonlyMap<string, string> = new Map(
  (
    'amp & lt < gt > quot " apos \' nbsp \u00a0 copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” ' +
    'laquo « raquo » bull • middot · deg ° plusmn ± times × divide ÷ ne ≠ le ≤ ge ≥ larr ← rarr → uarr ↑ darr ↓ euro € pound £'
  )
    .match(/\w+ [^ ]/g)
    ?.map((pair) => [pair.slice(0, -2), pair.slice(-1)]),
)

/** A text with its character references replaced, such as `&lt;` and `&#8212;`. */
export const decodeEntities = (text: string): string =>
  text.includes('&')
    ? text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
        if (name !== undefined) return NAMED.get(name) ?? whole
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
        return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)
          ? '\ufffd'
          : String.fromCodePoint(code)
      })
    : text
