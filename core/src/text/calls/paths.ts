import { isOnePiece, toWords } from './names.ts'

/** File names, folders and addresses in the words of an answer. */
const EXTENSIONS =
  'ts|tsx|mts|cts|js|jsx|mjs|cjs|vue|svelte|json|jsonl|md|mdx|rst|txt|py|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|sh|ps1|bat|yml|yaml|toml|ini|cfg|conf|lock|html|htm|css|scss|sql|csv|tsv|xml|xlsx|docx|pptx|svg|png|jpg|jpeg|gif|ico|webp|pdf|zip|gz|tar|log|bak|env|proto|ipynb|tf|db|sqlite|wasm|mp4|mp3|wav'
const PART = String.raw`[\p{L}\p{M}\p{N}_@.+-]`
const FILE = new RegExp(String.raw`^(?:~|\.{0,2})/?(?:${PART}+/){0,30}${PART}*\.(?:${EXTENSIONS})$`, 'iu')
const FOLDER = new RegExp(String.raw`^(?:~|\.{0,2})/?(?:${PART}+/){1,30}$`, 'u')
const ABSOLUTE = new RegExp(String.raw`^(?:~|\.{0,2})/(?:${PART}+/){0,30}${PART}+$`, 'u')
const BARE: readonly string[] =
  'Dockerfile Makefile LICENSE LICENCE Procfile Gemfile Rakefile Justfile CODEOWNERS README CHANGELOG'.split(' ')
/** What every path has. */
const HINT = new RegExp(String.raw`/|\.\S|${BARE.join('|')}`)
const PRODUCT =
  /^(?:node|next|vue|nuxt|express|three|d3|chart|react|ember|backbone|moment|alpine|socket|discord|p5|ext|asp)\.(?:js|io|net)$/i
const LINE = /(?::\d{1,7}(?:[-–:]\d{1,7})?|#L\d{1,7}(?:-L?\d{1,7})?)$/

/** The paths that a text names, as they are written. */
export const findPaths = (text: string): string[] =>
  HINT.test(text) ? toWords(text).flatMap((word) => toPath(word) ?? []) : []

/** The path that a word is, without line numbers and punctuation; `undefined` for any other word. */
export function toPath(token: string): string | undefined {
  if (token.length > 300 || !HINT.test(token) || token.includes('://')) return undefined
  const bare = token
    .replace(/^[("'`*_[]{1,4}|[)"'`*_\],;:!?]{1,6}$|\.(?=[)"'`*_\]]*$)/g, '')
    .replace(/[)"'`*_\],;:!?]{1,6}$/, '')
  const name = bare.replace(LINE, '')
  if (BARE.includes(name)) return name
  if (!/[./]/.test(name) || PRODUCT.test(name) || !isOnePiece(name)) return undefined
  if (FILE.test(name) || FOLDER.test(name) || ABSOLUTE.test(name)) return name
  return undefined
}

/** Whether two ways of naming a path mean one file: equal, or one the end of the other. */
export function isSamePath(a: string, b: string): boolean {
  const [x, y] = [plainPath(a), plainPath(b)]
  return x === y || x.endsWith(`/${y}`) || y.endsWith(`/${x}`)
}

/** A path or URL as two ways of naming it are compared: lower case, without `./` before it and `/` behind it. */
export const plainPath = (path: string): string => path.toLowerCase().replace(/^\.\//, '').replace(/\/$/, '')
