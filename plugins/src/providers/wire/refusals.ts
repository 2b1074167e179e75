import { isRecord, type Json, toList, toRecord } from '../format/json.ts'
import type { Change, Shape } from '../format/shape.ts'

/** What a server said no to, and what it was sent. */
interface Refusal {
  /** In small letters. */
  readonly text: string
  readonly body: Json
  readonly shape: Shape
}

/** One lesson: from the words of a refusal, and what was in the request, to how it is asked otherwise. */
type RefusalRule = (refusal: Refusal) => Change | undefined

const REFUSES =
  /not support|n't support|unsupported|unrecogni[sz]ed|unknown|not permitted|unexpected|extra (?:fields|inputs)|not allowed|invalid|deprecated|cannot|only the default|not (?:available|enabled)|forbidden|incompatible/
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const
/** Fields that a request can do without. */
const OPTIONAL = [
  'temperature',
  'seed',
  'stop',
  'stop_sequences',
  'parallel_tool_calls',
  'top_p',
  'store',
  'include',
  'prompt_cache_key',
]

/** The limit on the output is above what the model, or what is left of its context, takes. */
const limitTooLarge: RefusalRule = ({ text, body }) => {
  const field = LIMITS.find((each) => typeof body[each] === 'number')
  if (field === undefined || !/max_(?:completion_|output_)?tokens|output tokens|completion tokens/.test(text)) {
    return undefined
  }
  if (!/too large|at most|exceed|maximum|less than|valid range|must be/.test(text)) return undefined
  if (/context length|context window/.test(text)) return { quirks: { stripParams: [field] } }
  const sent = Number(body[field])
  const numbers = (text.match(/\d{3,7}/g) ?? []).map(Number).filter((each) => each < sent && each >= 256)
  return numbers.length === 0 ? undefined : { model: { maxOutput: Math.max(...numbers) } }
}

const limitField: RefusalRule = ({ text, body }) => {
  if (!text.includes('max_tokens') && !text.includes('max_completion_tokens')) return undefined
  if ('max_tokens' in body && text.includes('max_completion_tokens'))
    return { quirks: { maxTokensField: 'max_completion_tokens' } }
  if ('max_completion_tokens' in body && REFUSES.test(text)) return { quirks: { maxTokensField: 'max_tokens' } }
  return undefined
}

const streamUsage: RefusalRule = ({ text, body }) =>
  'stream_options' in body && /stream_options|include_usage/.test(text)
    ? { quirks: { noStreamUsage: true } }
    : undefined

const outputFormat: RefusalRule = ({ text, body }) => {
  const format = 'response_format' in body ? toRecord(body.response_format) : undefined
  if (format === undefined || !/response[_ ]format|json[_ ](?:schema|object|mode)|mime type/.test(text))
    return undefined
  const takesObject = format.type === 'json_schema' && !/\btools?\b|function/.test(text)
  return { model: { json: takesObject ? 'object' : 'none' } }
}

const toolChoice: RefusalRule = ({ text, body }) =>
  'tool_choice' in body && text.includes('tool_choice') && REFUSES.test(text)
    ? { quirks: { noToolChoice: true } }
    : undefined

/** Chat only: the other formats are spoken by servers whose models have tools. */
const tools: RefusalRule = ({ text, body, shape }) => {
  const isChat = isRecord(toList(body.tools)[0]) && 'function' in toRecord(toList(body.tools)[0])
  if (!isChat || shape.quirks.textToolCalls === false || text.includes('parallel_tool_calls')) return undefined
  const refused =
    /requires? --(?:jinja|enable-auto-tool-choice)|endpoints? found that support tool|(?:tool|function)(?:s|[ _-]us(?:e|age)| call(?:s|ing)?)?\b.{0,60}(?:not support|unsupported|not (?:available|enabled|allowed))|(?:not support|n't support|unsupported|unrecogni[sz]ed|not permitted|unknown).{0,60}\b(?:tool|function)/
  if (!refused.test(text)) return undefined
  return { quirks: { textToolCalls: true }, ...(shape.model.tools === true ? { model: { tools: false } } : {}) }
}

/** The kinds of the parts of all messages, and of what is inside results of tools. */
function kindsOf(value: unknown): unknown[] {
  return toList(value).flatMap((item) => {
    const { type, content, output } = toRecord(item)
    return [type, ...kindsOf(content), ...kindsOf(output)]
  })
}

const IMAGE_KINDS: ReadonlySet<unknown> = new Set(['image_url', 'input_image', 'image'])
const FILE_KINDS: ReadonlySet<unknown> = new Set(['file', 'input_file', 'document'])
const NOT_TAKEN =
  "not (?:be )?support|n't support|unsupported|not (?:available|enabled|allowed)|unknown (?:variant|part)|invalid value|does not match|only supported by|no endpoints found that support|missing data required for|at most 0|not an? (?:multi-?modal|vision)"
const IMAGES = String.raw`\bimages?\b|image_url|input_image|\bvision\b|multi-?modal`
const FILES = String.raw`\bfiles?\b|input_file|\bdocuments?\b|\bpdfs?\b`
const refusing = (what: string): RegExp =>
  new RegExp(`(?:${NOT_TAKEN}).{0,60}(?:${what})|(?:${what}).{0,60}(?:${NOT_TAKEN})`)
const NO_IMAGES = refusing(IMAGES)
const NO_FILES = refusing(FILES)
/** A model that takes no parts at all. */
const TEXT_ALONE = /content\b.{0,30}must be a string|unsupported content\[\]\.type/
/** What is wrong with one image, which another need not have. */
const ONE_FAULT = /format|mime|media[_ ]type|dimension|\bsize\b|exceed|too (?:large|many|big)|corrupt|could not process/

/** The model takes no images, or no PDFs. */
const media: RefusalRule = ({ text: said, body }) => {
  // What follows is what it takes.
  const [text = ''] = said.split(/supported (?:values|types)|expected/)
  if (ONE_FAULT.test(text)) return undefined
  const kinds = [...kindsOf(body.messages), ...kindsOf(body.input)]
  const isTextAlone = TEXT_ALONE.test(text)
  if (kinds.some((kind) => IMAGE_KINDS.has(kind)) && (isTextAlone || NO_IMAGES.test(text)))
    return { model: { vision: false } }
  if (kinds.some((kind) => FILE_KINDS.has(kind)) && (isTextAlone || NO_FILES.test(text)))
    return { model: { pdf: false } }
  return undefined
}

const rolesOf = (body: Json): unknown[] => toList(body.messages).map((message) => toRecord(message).role)

const systemRole: RefusalRule = ({ text, body }) => {
  const roles = rolesOf(body)
  const refused =
    /system (?:role|message|instruction|prompt)s?\W+(?:is |are )?(?:not|unsupported)|only user,? (?:and )?assistant|(?:not support|unsupported|invalid|unknown|unexpected)\b.{0,40}(?:\brole\b.{0,20})?['"`]?(?:system|developer)\b|developer instruction is not/
  if (!refused.test(text)) return undefined
  if (roles.includes('developer')) return { quirks: { systemRole: 'system' } }
  return roles.includes('system') ? { quirks: { systemRole: 'user' } } : undefined
}

const roleOrder: RefusalRule = ({ text, shape }) =>
  shape.quirks.mergeSystem !== true &&
  /roles? must alternate|system message must be (?:at|the)|only one system/.test(text)
    ? { quirks: { mergeSystem: true } }
    : undefined

const optionalField: RefusalRule = ({ text, body }) => {
  if (!REFUSES.test(text)) return undefined
  const field = OPTIONAL.find((each) => each in body && new RegExp(`\\b${each}\\b`).test(text))
  return field === undefined ? undefined : { quirks: { stripParams: [field] } }
}

/** The marks of what may be cached, or the list of texts that the one in the system text makes of it. */
const cacheMarks: RefusalRule = ({ text, body }) =>
  JSON.stringify(body).includes('"cache_control":') &&
  (/cache_control/.test(text) || (Array.isArray(body.system) && /\bsystem\b.{0,60}\bstr(?:ing)?\b/.test(text)))
    ? { quirks: { stripParams: ['cache_control'] } }
    : undefined

const cacheBreakpoints: RefusalRule = ({ text }) =>
  text.includes('prompt_cache_breakpoint') ? { quirks: { stripParams: ['prompt_cache_breakpoint'] } } : undefined

/** In this order: the more special words come first. */
const RULES: readonly RefusalRule[] = [
  cacheMarks,
  cacheBreakpoints,
  media,
  limitTooLarge,
  limitField,
  streamUsage,
  outputFormat,
  toolChoice,
  tools,
  systemRole,
  roleOrder,
  optionalField,
]

/** How to ask instead; undefined where the words name nothing that can be left out or said otherwise. */
export function findLesson(message: string, body: Json, shape: Shape): Change | undefined {
  const refusal = { text: message.toLowerCase(), body, shape }
  for (const rule of RULES) {
    const change = rule(refusal)
    if (change !== undefined) return change
  }
  return undefined
}
