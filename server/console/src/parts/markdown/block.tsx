import type { MarkedToken, Token, Tokens } from 'marked'
import { Component, type ComponentChild, createElement } from 'preact'
import { plural } from '../format.ts'
import type { Block } from './blocks.ts'
import { CodeBlock } from './code-block.tsx'
import { toInline, toPieces } from './inline.tsx'

/** Quotes and lists inside each other beyond which the text stands as it is written. */
const MOST_NESTED = 30
/** Larger tables stand as they are written. */
const MOST_CELLS = 6_000

interface BlockProps {
  block: Block
  /** Of the headings that stand below no other one of the text. */
  level: number
  /** Its end may still come. */
  isOpen: boolean
}

/**
 * One block, drawn anew only where it changed. Elements that a hook remembered would keep all that stood around them when they
 * were made.
 */
export class BlockView extends Component<BlockProps> {
  override shouldComponentUpdate({ block, level, isOpen }: BlockProps): boolean {
    const { props } = this
    const isCode = block.token.type === 'code'
    return block !== props.block || level !== props.level || (isCode && isOpen !== props.isOpen)
  }

  override render({ block, level, isOpen }: BlockProps): ComponentChild {
    const { token, depth } = block
    if (token.type !== 'heading' || depth === undefined) return toPart(token, { isOpen, deep: 0 })
    return createElement(
      `h${Math.min(6, level + depth)}`,
      { class: 'heading', 'data-depth': token.depth },
      toInline(token.tokens),
    )
  }
}

interface Place {
  isOpen: boolean
  deep: number
  key?: number
}

function toPart(token: MarkedToken, { isOpen, deep, key = 0 }: Place): ComponentChild {
  if (deep > MOST_NESTED)
    return (
      <p key={key} class="as-written">
        {token.raw}
      </p>
    )
  switch (token.type) {
    case 'paragraph':
      return <p key={key}>{toInline(token.tokens)}</p>
    case 'heading':
      // Inside of a list or a quote it is none of the page.
      return (
        <p key={key} class="heading" data-depth={token.depth}>
          {toInline(token.tokens)}
        </p>
      )
    case 'code':
      return <CodeBlock key={key} text={token.text} language={token.lang} isOpen={isOpen} />
    case 'blockquote':
      return <blockquote key={key}>{toParts(token.tokens, isOpen, deep)}</blockquote>
    case 'list': {
      const items = token.items.map((item, index) => (
        <li key={index} class={item.task ? 'task' : undefined}>
          {toParts(item.tokens, isOpen, deep)}
        </li>
      ))
      if (!token.ordered) return <ul key={key}>{items}</ul>
      return (
        <ol key={key} start={token.start === '' ? 1 : token.start}>
          {items}
        </ol>
      )
    }
    case 'table':
      return <TableBlock key={key} token={token} />
    case 'hr':
      return <hr key={key} />
    case 'space':
    case 'def':
      return null
    case 'text':
      if (deep > 0) return token.tokens === undefined ? toPieces(token.text) : toInline(token.tokens)
      return (
        <p key={key} class="as-written">
          {token.tokens === undefined ? toPieces(token.text) : toInline(token.tokens)}
        </p>
      )
    default:
      return toInline([token])
  }
}

const toParts = (tokens: readonly Token[], isOpen: boolean, deep: number): ComponentChild[] =>
  tokens.map((token, key) => toPart(token as MarkedToken, { isOpen, deep: deep + 1, key }))

function TableBlock({ token: { header, rows, raw } }: { token: Tokens.Table }) {
  if (header.length * (rows.length + 1) > MOST_CELLS) return <pre class="as-written">{raw}</pre>
  return (
    <div class="table-scroll" role="group" tabIndex={0} aria-label={`Table, ${plural(rows.length, 'row')}`}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens, align }, index) => (
              <th key={index} scope="col" data-align={align}>
                {toInline(tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map(({ tokens, align }, index) => (
                <td key={index} data-align={align}>
                  {toInline(tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
