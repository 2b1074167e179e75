/** Colours of code: loaded where there is code, and not before. */
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import markdown from 'highlight.js/lib/languages/markdown'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import shell from 'highlight.js/lib/languages/shell'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

const lowlight = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
})

/** A stretch of code of one colour; without a class, of that of the text. */
export interface Coloured {
  class: string
  text: string
}

/** Code is coloured in parts of this length: for some texts, a grammar takes time that grows with the third power of it. */
const PART = 4_000
/** After so long, what is left has no colours. */
const MOST_MS = 100

/** Code as stretches of colour; undefined where the language is not known, and where its grammar fails at the code. */
export function highlight(code: string, language: string): Coloured[] | undefined {
  if (!lowlight.registered(language)) return undefined
  const pieces: Coloured[] = []
  const until = performance.now() + MOST_MS
  try {
    for (const part of toParts(code)) {
      if (performance.now() > until) pieces.push({ class: '', text: part })
      else collect(lowlight.highlight(language, part), '', pieces)
    }
  } catch {
    return undefined
  }
  return pieces
}

/** Cut where something new begins, if that can be seen: after an empty line, else after a line. */
function toParts(code: string): string[] {
  const parts: string[] = []
  let start = 0
  while (code.length - start > PART) {
    const part = code.slice(start, start + PART)
    const empty = part.lastIndexOf('\n\n') + 2
    const end = empty > PART / 2 ? empty : part.lastIndexOf('\n') + 1 || PART
    parts.push(part.slice(0, end))
    start += end
  }
  return [...parts, code.slice(start)]
}

type Tree = ReturnType<typeof lowlight.highlight>

function collect({ children }: Pick<Tree, 'children'>, name: string, into: Coloured[]): void {
  for (const child of children) {
    if (child.type === 'text') into.push({ class: name, text: child.value })
    else if (child.type === 'element') {
      const { className } = child.properties
      collect(child as Pick<Tree, 'children'>, Array.isArray(className) ? className.join(' ') : name, into)
    }
  }
}
