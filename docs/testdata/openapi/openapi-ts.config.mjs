// The generator looks for tsconfig.json beside itself unless it is named.
export default {
  input: "./openapi.json",
  output: { path: "generated/hey-api", tsConfigPath: "./tsconfig.json" },
};
