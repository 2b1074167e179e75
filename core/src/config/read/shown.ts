const LONGEST = 300
const SHOWN_END = 80

/** Characters that a terminal acts on, that reorder or break a line, or that nobody sees. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/gu

/**
 * A text from a file that nobody trusted, as part of one line that a person reads: what is unsafe to print is a `?`. Of a
 * long text the beginning and the end are shown, since what matters may stand in either.
 */
export function shown(text: string, longest = LONGEST): string {
  const parts =
    text.length <= longest
      ? [text]
      : [text.slice(0, longest - SHOWN_END), ` [${text.length - longest} more characters] `, text.slice(-SHOWN_END)]
  return parts.join('').replace(UNSAFE, '?')
}
