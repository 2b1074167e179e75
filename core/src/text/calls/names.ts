/** Letters of scripts that stand beside a name without a blank, and their marks. */
const UNSPACED = ['Han', 'Hira', 'Kana', 'Hang', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Arab', 'Hebr']
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('')

/**
 * Where such letters begin or end beside a name. Behind `/` and before or behind `.` and `-` they may belong to it: `docs/計画.md`.
 */
let change: RegExp | undefined
/** Made with its first use: to find out the letters of ten scripts takes a twentieth of what the import of svc takes. */
const getChange = (): RegExp => {
  change ??= new RegExp(
    String.raw`(?<=[!-,0-~])(?=[${UNSPACED}])|(?<=[${UNSPACED}])(?=[!-,0-~])|(?<=\/)(?=\p{sc=Hira})`,
    'u',
  )
  return change
}
/** Quotes that are no part of a name, elisions (`l'index.html`), and the middle of a link in Markdown. */
const QUOTES = String.raw`\x60´“”„‟‘’‚‛«»‹›「」『』（）【】《》〈〉［］｛｝、。，；：！？—…`
const BREAK = new RegExp(String.raw`[\s${QUOTES}]+|(?<=\p{L})'(?=\p{L})|\]\(`, 'u')
const FIRST_QUOTE = new RegExp(`[${QUOTES}]`)

/** A text in words, of which each may be a name, in every script. */
export const toWords = (text: string): string[] => text.split(BREAK).flatMap((word) => word.split(getChange()))

/** Whether a word is of one piece, where nothing of another script stands beside a name. */
export const isOnePiece = (word: string): boolean => !getChange().test(word)

/** The beginning of a word that is a name, without what another script says behind it. */
export const toName = (word: string): string => word.split(FIRST_QUOTE, 1)[0]?.split(getChange(), 1)[0] ?? word
