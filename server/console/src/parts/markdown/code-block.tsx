import { CopyButton } from '../copy-button.tsx'
import { Code } from './code.tsx'

interface CodeBlockProps {
  text: string
  /** As the text says it, after the fence. */
  language: string | undefined
  isOpen: boolean
}

/** Code of an answer, with its language and a button that copies it. */
export function CodeBlock({ text, language = '', isOpen }: CodeBlockProps) {
  const name = (language.trim().split(/[\s,{:]/)[0] ?? '').slice(0, 40)
  return (
    <div class="code-block">
      <div class="code-head">
        <span>{name === '' ? 'text' : name}</span>
        {!isOpen && <CopyButton text={text} label="Copy" of="the code" />}
      </div>
      <Code text={text} language={name} label={`Code${name === '' ? '' : `, ${name}`}`} isOpen={isOpen} />
    </div>
  )
}
