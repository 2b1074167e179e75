export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** At most so many characters, the cut said in words. */
export const clip = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}\n[… ${text.length - most} characters left out]`
