/** What a model said. */
export function Said({ text }: { text: string; isGrowing?: boolean }) {
  return <div class="chat-said">{text}</div>
}
