import { CopyButton } from '../copy-button.tsx'
import { Code } from './code.tsx'

/** Of what stands after the fence, in characters. */
const MOST_SAID = 300

interface CodeBlockProps {
  text: string
  /** As the text says it, after the fence. */
  language: string | undefined
  isOpen: boolean
}

/** Code of an answer, with its language and a button that copies it. */
export function CodeBlock({ text, language = '', isOpen }: CodeBlockProps) {
  const name = (language.trim().split(/[\s,{:]/)[0] ?? '').slice(0, 40)
  // All of it, since it stands nowhere else.
  const said = language.trim().slice(0, MOST_SAID)
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{said === '' ? 'text' : said}</span>
        {!isOpen && <CopyButton text={text} label="Copy" of="the code" />}
      </div>
      <Code text={text} language={name} label={`Code${name === '' ? '' : `, ${name}`}`} />
    </div>
  )
}
