export { type ListeningServer, type ServeOptions, serve } from './serve.ts'
