import { RetinueError } from '../errors/retinue-error.ts'
import type { Message } from '../messages/message.ts'
import type { LanguageModel } from './language-model.ts'

/** Throws `file-url-unsupported` if a conversation names a file by a URL that the model does not fetch itself. */
export async function assertUrlsSupported(model: LanguageModel, conversation: readonly Message[]): Promise<void> {
  const supported = await model.supportedUrls
  for (const { url, mediaType } of conversation.flatMap(urlsOf)) {
    if (!isSupported(url, mediaType, supported)) throw unsupported(model, url, mediaType)
  }
}

interface FileUrl {
  url: string
  mediaType: string
}

function urlsOf({ content }: Message): FileUrl[] {
  if (typeof content === 'string') return []
  return content.flatMap((part): FileUrl[] => {
    if (part.type === 'file')
      return part.data.type === 'url' ? [{ url: String(part.data.url), mediaType: part.mediaType }] : []
    if (part.type !== 'tool-result' || part.output.type !== 'content') return []
    return part.output.value.flatMap((item) =>
      item.type === 'file' && item.data.type === 'url'
        ? [{ url: String(item.data.url), mediaType: item.mediaType }]
        : [],
    )
  })
}

/** The model's own table: media types, exact, as `image/*` or as `*`, with patterns of URLs. */
function isSupported(url: string, mediaType: string, supported: Record<string, RegExp[]>): boolean {
  const [kind = ''] = mediaType.toLowerCase().split('/', 1)
  return Object.entries(supported ?? {}).some(([pattern, urls]) => {
    const type = pattern.toLowerCase()
    const fits =
      type === '*' ||
      type === '*/*' ||
      type === mediaType.toLowerCase() ||
      type === `${kind}/*` ||
      (mediaType.endsWith('/*') && type.startsWith(`${kind}/`))
    return fits && urls.some((each) => each.test(url.toLowerCase()))
  })
}

function unsupported({ provider, modelId }: LanguageModel, url: string, mediaType: string): RetinueError {
  return new RetinueError({
    code: 'file-url-unsupported',
    message: `${provider}/${modelId} does not fetch files of type ${mediaType} from ${origin(url)}.`,
    hint: 'Fetch the file in your program and pass its bytes. Nothing is fetched behind your back.',
    data: { mediaType },
  })
}

/** Where a URL points, without what may be secret in it. */
function origin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'that URL'
}
