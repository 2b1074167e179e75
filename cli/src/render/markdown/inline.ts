import type { Token, Tokens } from 'marked'
import type { Io } from '../../frame/io.ts'
import type { Span } from './spans.ts'

type Paint = Io['paint']
type Painter = Span['paint']

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** The words of a block with their colours; a link shows its address behind its text. */
export function toSpans(tokens: readonly Token[], paint: Paint, painter: Painter = String): Span[] {
  const inside = (inner: readonly Token[] | undefined, more: Painter): Span[] =>
    toSpans(inner ?? [], paint, (text) => more(painter(text)))
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return inside(token.tokens, paint.bold)
      case 'em':
        return inside(token.tokens, paint.italic)
      case 'del':
        return inside(token.tokens, paint.strikethrough)
      case 'codespan':
        return [{ text: flat(token.text), paint: (text) => paint.cyan(painter(text)) }]
      case 'br':
        return [{ text: '\n', paint: String }]
      case 'link':
        return toLink(token as Tokens.Link, inside(token.tokens, paint.underline), paint)
      case 'image': {
        const { text, href } = token as Tokens.Image
        return [{ text: `${decode(text) || 'image'} (${href})`, paint: painter }]
      }
      case 'text':
      case 'escape':
        return token.type === 'text' && token.tokens !== undefined
          ? toSpans(token.tokens, paint, painter)
          : [{ text: decode(flat(token.text)), paint: painter }]
      default:
        return [{ text: flat(token.raw), paint: painter }]
    }
  })
}

function toLink({ href, text }: Tokens.Link, shown: Span[], paint: Paint): Span[] {
  const isSame = text === href || href === `mailto:${text}` || href === `http://${text}`
  return isSame ? shown : [...shown, { text: ` (${href})`, paint: paint.dim }]
}

const flat = (text: string): string => text.replace(/[\n\t]/g, ' ')

const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => ENTITIES[name] ?? whole)
