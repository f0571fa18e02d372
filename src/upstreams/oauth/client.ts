import { type AuthorizationServerMetadata, isHttpsUrl, registerClient } from "@modelcontextprotocol/client";
import { DiscoveryError } from "../../errors.js";
import type { AuthFetch } from "./auth-fetch.js";
import type { OAuthClient } from "./credential.js";
import { unusable } from "./failures.js";
import type { OAuthSettings } from "../../model/server.js";

export interface ClientRequest {
  readonly server: string;
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  readonly settings: OAuthSettings;
  readonly redirectUrl: string;
  readonly scope: string | undefined;
  readonly fetch: AuthFetch["fetch"];
}

/**
 * Returns the OAuth client to use: the configured client, one with a client metadata document, or a newly registered
 * one.
 */
export async function findClient(request: ClientRequest): Promise<OAuthClient> {
  const { server, metadata, settings } = request;
  const { clientId, clientSecret, clientMetadataUrl } = settings;
  if (clientId !== undefined) {
    return { id: clientId, isConfigured: true, ...(clientSecret === undefined ? {} : { secret: clientSecret }) };
  }
  if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) {
    if (isHttpsUrl(clientMetadataUrl)) return { id: clientMetadataUrl, authMethod: "none" };
    throw new DiscoveryError(
      "CONFIGURATION_ERROR",
      `oauth.clientMetadataUrl of ${server} is not an https URL with a path.`,
      {
        hint: 'Write it as "https://host/path".',
        server,
      },
    );
  }
  if (metadata.registration_endpoint === undefined) throw unregistered(server);
  return await register(request);
}

async function register({ server, issuer, metadata, redirectUrl, scope, fetch }: ClientRequest): Promise<OAuthClient> {
  try {
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["none"];
    const registered = await registerClient(issuer, {
      metadata,
      clientMetadata: {
        client_name: "AnyGPT Discovery",
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: methods.includes("none") ? "none" : (methods[0] ?? "none"),
        application_type: "native",
      },
      ...(scope === undefined ? {} : { scope }),
      fetchFn: fetch,
    });
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: authMethod } = registered;
    return { id, ...(secret === undefined ? {} : { secret }), ...(authMethod === undefined ? {} : { authMethod }) };
  } catch (error) {
    if (error instanceof DiscoveryError) throw error;
    throw unusable(server, "its authorization server rejected the client registration", error);
  }
}

function unregistered(server: string): DiscoveryError {
  return new DiscoveryError(
    "CONFIGURATION_ERROR",
    `The authorization server of ${server} does not support dynamic client registration.`,
    {
      hint: [
        "Register a client at the authorization server with the redirect URI http://127.0.0.1/callback.",
        { action: "edit-config", key: `servers.${server}.oauth.clientId`, value: "its client id" },
      ],
      server,
    },
  );
}
