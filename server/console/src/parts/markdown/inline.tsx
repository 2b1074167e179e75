import type { MarkedToken, Token } from 'marked'
import type { ComponentChild } from 'preact'
import { decodeEntities } from './entities.ts'
import { ImageNote, Link } from './link.tsx'

/** Marks inside each other beyond which the text stands as it is written. */
const MOST_NESTED = 30
/** A text is drawn in pieces of about this many characters, so that what is selected in it stays so while it grows. */
const PIECE = 80
const BREAK = /^<br ?\/?>$/i

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
      return BREAK.test(token.raw) ? <br key={key} /> : token.raw
    case 'link': {
      const isWritten = token.autolink !== true
      const address = isWritten ? decodeEntities(token.href) : token.href
      const text = isWritten ? wordsOf(token.tokens) : token.text
      return (
        <Link key={key} address={address} text={text}>
          {isWritten && text.trim() !== '' ? toInline(withoutLinks(token.tokens), deep + 1) : text.trim() || address}
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

/** What any part of a line has. */
interface Part {
  type: string
  raw: string
  text?: string
  tokens?: Token[]
}

/** What is read of a line, without its markup: a host is one whatever stands between its letters. */
const wordsOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      const { type, tokens: inner, text = '', raw } = token as Part
      if (type === 'br' || (type === 'html' && BREAK.test(raw))) return ''
      if (type === 'codespan' || type === 'escape') return text
      return inner === undefined ? decodeEntities(text || raw) : wordsOf(inner)
    })
    .join('')

/** The words of a link: a link or a picture in it would be a link in a link, which leads to two places. */
const withoutLinks = (tokens: readonly Token[]): Token[] =>
  tokens.map((token) => {
    const { type, tokens: inner, text = '', raw } = token as Part
    if (type === 'link') return { type: 'escape', raw, text: wordsOf(inner ?? []) }
    if (type === 'image') return { type: 'escape', raw, text: `Image: ${decodeEntities(text)}` }
    return inner === undefined ? token : { ...token, tokens: withoutLinks(inner) }
  })

/** A long text in pieces that end between words. */
export const toPieces = (text: string): string | string[] =>
  text.length <= 2 * PIECE
    ? text
    : (text.match(new RegExp(`[^]{${PIECE}}[^ \\n]{0,${PIECE}}[ \\n]?|[^]+$`, 'g')) ?? text)
