import type { MarkedToken, Token } from 'marked'
import type { ComponentChild } from 'preact'
import { decodeEntities } from './entities.ts'
import { ImageNote, Link } from './link.tsx'

/** Marks inside each other beyond which the text stands as it is written. */
const MOST_NESTED = 30
/** A text is drawn in pieces of about this many characters, so that what is selected in it stays so while it grows. */
const PIECE = 80

/**
 * The words of a line: text, emphasis, code, links. Not by components: texts have to be children of an element, where what
 * cannot be seen in them is shown as its code.
 */
export const toInline = (tokens: readonly Token[] | undefined, deep = 0): ComponentChild[] =>
  tokens?.map((token, index) => toNode(token as MarkedToken, index, deep)) ?? []

function toNode(token: MarkedToken, key: number, deep: number): ComponentChild {
  if (deep > MOST_NESTED) return token.raw
  switch (token.type) {
    case 'strong':
      return <strong key={key}>{toInline(token.tokens, deep + 1)}</strong>
    case 'em':
      return <em key={key}>{toInline(token.tokens, deep + 1)}</em>
    case 'del':
      return <del key={key}>{toInline(token.tokens, deep + 1)}</del>
    case 'codespan':
      return <code key={key}>{token.text}</code>
    case 'br':
      return <br key={key} />
    case 'escape':
      return toPieces(token.text)
    case 'html':
      // The one tag that tables of models are full of.
      return /^<br ?\/?>$/i.test(token.raw) ? <br key={key} /> : token.raw
    case 'link': {
      const read = token.autolink === true ? (text: string) => text : decodeEntities
      return (
        <Link key={key} address={read(token.href)} text={read(token.text)}>
          {token.autolink === true ? token.text : toInline(token.tokens, deep + 1)}
        </Link>
      )
    }
    case 'image':
      return <ImageNote key={key} address={decodeEntities(token.href)} text={decodeEntities(token.text)} />
    case 'checkbox':
      return (
        <input
          key={key}
          type="checkbox"
          checked={token.checked}
          disabled
          aria-label={token.checked ? 'Done' : 'Not done'}
        />
      )
    case 'text':
      return token.tokens === undefined ? toPieces(decodeEntities(token.text)) : toInline(token.tokens, deep + 1)
    default:
      return token.raw
  }
}

/** A long text in pieces that end between words. */
export const toPieces = (text: string): string | string[] =>
  text.length <= 2 * PIECE
    ? text
    : (text.match(new RegExp(`[^]{${PIECE}}[^ \\n]{0,${PIECE}}[ \\n]?|[^]+$`, 'g')) ?? text)
