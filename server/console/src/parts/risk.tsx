/** How much harm a tool can do, as a word in a frame. */
export function Risk({ of }: { of: string }) {
  return (
    <span class="pill" data-risk={of}>
      {of}
    </span>
  )
}
