"""Secrets in texts, commands and variables are masked in every spelling, and nothing that only resembles one."""

from __future__ import annotations

from kubectl_trainjob.kube.facts import masking
from kubectl_trainjob.model.secret_texts import without_secrets
from kubectl_trainjob.model.secrets import has_secret
from tests.loops import for_each

CANARY = "Zx81kkQ9s7Wm"
NAMES = [
    "DB_PASS",
    "PASSPHRASE",
    "AUTH",
    "NPM_AUTH",
    "REDISCLI_AUTH",
    "BEARER",
    "SAS",
    "PASSWORD_2",
    "PASSWORD1",
    "API_KEY_1",
    "HF_TOKEN_READ",
    "TOKEN_PROD",
    "SECRET_VALUE",
    "SECRET_KEY_BASE",
    "PASSWORD_HASH",
    "SSH_PRIVATE_KEY_PEM",
    "GIT_CREDS",
    "CRED",
    "PASSCODE",
    "JWT",
    "COOKIE",
    "API_KEYS",
    "ACCESS_TOKENS",
    "HF_TOKENS",
    "PASSWORDS",
    "DB_PW",
    "DB_PSWD",
    "PASSWRD",
    "authkey",
    "privatekey",
    "sshkey",
    "TS_AUTHKEY",
    "accountkey",
    "userpass",
    "X-Auth",
    "Authorization",
    "wandbAPIKey",
]
TEXTS = [
    "declare -x TOKEN=¤",
    "docker run -e TOKEN=¤ x",
    "docker run --env=TOKEN=¤ x",
    "--set auth.password=¤",
    "--from-literal=password=¤",
    "-H 'X-Api-Key: ¤'",
    "--header='X-Vault-Token: ¤'",
    'curl -H "Authorization: ¤"',
    'curl -H "Authorization: ApiKey ¤"',
    'curl -H "Cookie: session=¤"',
    '{\\"api_key\\": \\"¤\\"}',
    '{"password": ["¤"]}',
    '{"auths": {"ghcr.io": {"auth": "¤"}}}',
    '["run", "--token", "¤"]',
    "password => ¤",
    "- name: HF_TOKEN⏎  value: ¤",
    '{"name": "HF_TOKEN", "value": "¤"}',
    '{\\"name\\": \\"HF_TOKEN\\", \\"value\\": \\"¤\\"}',
    "password := ¤",
    "TOKEN+=¤",
    "--token $'¤'",
    '--password "a\\"¤"',
    '--password "¤',
    "--api-key:¤",
    "--token \\⏎  ¤",
    "https://x/?token=¤",
    "--url https://x/?access_token=¤&y=1",
    "https://x/#api_key=¤",
    "https://hooks.slack.com/services/T0/B0/¤",
    "Server=h;User Id=u;Pwd=¤;",
    'os.environ["TOKEN"] = "¤"',
    '$env:TOKEN = "¤"',
    "<password>¤</password>",
    "<name>fs.s3a.secret.key</name> <value>¤</value>",
    "machine h login u password ¤",
    "_auth=¤",
    "password: |⏎  ¤",
    "password: &a ¤",
    "password: !!str ¤",
    "setenv TOKEN ¤",
    "aws configure set aws_secret_access_key ¤",
    "docker login -u x -p ¤",
    "redis-cli -h x -a ¤",
    "wandb login ¤",
    "vault login ¤",
    "docker login -u x -p¤ ghcr.io",
    "echo ¤ | docker login -u x --password-stdin",
    "echo -n '¤' | podman login ghcr.io --password-stdin",
    "printf '%s' \"¤\" | helm registry login ghcr.io --password-stdin",
    "gh auth login --with-token <<< ¤",
    "echo ¤ | sudo -S true",
    "mongosh -u x -p ¤",
    '["run",⏎ "--token",⏎ "¤"]',
    "https://x/token=¤",
    "https://x/token=¤/models",
    "-----BEGIN RSA PRIVATE KEY-----⏎¤⏎¤⏎-----END RSA PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----⏎Proc-Type: 4,ENCRYPTED⏎DEK-Info: AES-128-CBC,A⏎⏎¤⏎-----END RSA PRIVATE KEY-----",
    "run --api=nvapi-¤",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.¤",
    "sk_live_¤",
    "xapp-1-¤",
    "hvs.¤",
    "gsk_¤",
    "TOKEN=${X:-¤}",
    "export HF_TOKEN=${HF_TOKEN:-'¤'}",
    'TOKEN="${X:=¤}"',
    'login "${API_KEY-¤}"',
    "mpirun -genv HF_TOKEN ¤ -n 2 x",
    "mpirun -env HF_TOKEN ¤ x",
    "run -e HF_TOKEN ¤",
    "ENV HF_TOKEN ¤",
    "os.environ.setdefault('HF_TOKEN', '¤')",
    'os.getenv("HF_TOKEN", "¤")',
    "machine h⏎  login u⏎  password ¤",
    "wandb login --relogin ¤",
    "wandb login --host=https://h ¤",
    "mc alias set m https://h:9000 admin ¤",
    "echo ¤ > ~/.cache/huggingface/token",
    "printf '%s' '¤' >> /run/password",
    "user:⏎  client-key-data: ¤==",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt¤",
    "YXBpVmVyc2lvbjogdjEKa2luZDogQ29uZmln¤",
    "eyJhdXRocyI6¤",
    "https://discord.com/api/webhooks/123/¤",
    "https://api.telegram.org/bot12345:¤/sendMessage",
]
COMMANDS = [
    ["-token", CANARY],
    ["-H", f"X-Api-Key: {CANARY}"],
    ["--auth", CANARY],
    ["/usr/bin/sshpass", "-p", CANARY, "ssh"],
    ["mysql", "-u", "root", f"-p{CANARY}"],
    ["redis-cli", "-a", CANARY],
    ["docker", "login", "-u", "x", "-p", CANARY],
    ["docker", "login", "-u", "x", f"-p{CANARY}"],
    ["sh", "-c", f"echo {CANARY} | docker login --password-stdin"],
    ["wandb", "login", CANARY],
    ["vault", "login", CANARY],
    [{"key": "hf-token", "value": CANARY}],
    ["mpirun", "-genv", "HF_TOKEN", CANARY],
    ["docker", "run", "-e", "HF_TOKEN", CANARY],
    [{"name": "HF_TOKEN", "value": f"${{HF_TOKEN:-{CANARY}}}"}],
]
NO_SECRETS = [
    "hf_checkpoint_path: x",
    "--token $HF_TOKEN",
    'token = os.environ["HF_TOKEN"]',
    "token = tokenizer.decode(x[0])",
    "key = jax.random.split(rng)",
    "auth: oauth2",
    "X-Auth: none",
    "--set image.tag=v1 --env MODE=x",
    "https://x/?max_tokens=512",
    "--max-tokens 512 --tokenizer /m/tokenizer",
    "cat $KEY_FILE",
    'spec: {imagePullSecrets: [{name: ""}]}',
    "secrets: [registry]",
    "metadata[key] = {**other}",
    "- name: HF_TOKEN\n  valueFrom: x",
    "- name: MODE\n  value: fast",
    "glue-finetune-large npm_config_registry",
    "mkdir -p /a && ssh -p 22 x",
    "cookie-cutter login",
    "wandb login --relogin",
    "registry:5000/team/api-token:v1.2",
    "http://registry/login -preview",
    "mysqld -preload",
    "vault login -path=github",
    "docker run -p8080:80 x",
    "cat token.txt | docker login --password-stdin",
    "echo $TOKEN | docker login --password-stdin",
    "echo done | tee -a log",
    "s3://b/key=2024/part-0",
    "topologyKey: topology.k8s.aws/network-node-layer-1",
    "topologyKey: kueue.x-k8s.io/podset-group-name",
    "labelKey: jobset.sigs.k8s.io/jobset-name",
    "key: A100-80GB",
    "key: NVIDIA-H100-80GB-HBM3",
    "--sort-key createdAt",
    "metric_key: eval/Loss",
    "docker run -e HF_TOKEN pytorch/pytorch:2.9 x",
    "docker run -e HF_TOKEN --rm x",
    "docker run -e HF_TOKEN my-image-v2 x",
    "TOKEN=${TOKEN:-}",
    "TOKEN=${TOKEN:-${HF_TOKEN}}",
    "TOKEN=${TOKEN:?is not set}",
    "echo ${NODE_RANK:-0} ${LR:=3e-4}",
    "config.get('pad_token', '<pad>')",
    "mpirun -genv NCCL_DEBUG INFO x",
    "echo $HF_TOKEN > /run/token",
    "echo done > /tmp/log",
    "caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t",
    "public: LS0tLS1CRUdJTiBQVUJMSUMgS0VZLS0tLS0",
    "certificate-authority-data: LS0t",
    "wandb login --relogin --host=https://h",
    "mc alias list m",
]
NO_SECRET_VARIABLES = {
    "MAX_TOKENS": "512",
    "TRAIN_TOKENS": "300B",
    "TOKENIZER": "meta-llama/Llama",
    "KEY_FILE": "/x",
    "SORT_KEYS": "image,label",
    "IMAGE_TOKEN": "image",
    "AUTH": "kerberos5",
    "AUTHOR": "Jane Doe",
    "BYPASS": "Zx81kkQ9",
    "HOTKEY": "Zx81kkQ9",
    "TOKEN": "$HF_TOKEN",
    "GPU_KEY": "A100-80GB",
    "NODE_KEY": "cloud.google.com/gke-nodepool",
    "PUBLIC_KEY_2": "Zx81kkQ9",
    "API_KEY": "ovh-gpt4-key",
    "ACCESS_KEY": "node-h100-80gb",
    "CACHE_KEY": "v100-a100",
    "SECRET_KEY": "/mnt/Data1/abcdefghij/ABCDEFGHIJ/abcdefgh",
    "PASSWORD": "0000",
}


@for_each("name", NAMES, at_least=35)
def test_a_variable_with_the_name_of_a_secret_is_masked(name: str) -> None:
    assert has_secret(name, CANARY)


@for_each("name", NO_SECRET_VARIABLES.items(), at_least=10)
def test_another_variable_is_shown(name: tuple[str, str]) -> None:
    assert not has_secret(*name)


@for_each("text", TEXTS, at_least=45)
def test_a_secret_in_a_text_is_masked(text: str) -> None:
    text = text.replace("⏎", "\n").replace("¤", CANARY)
    assert CANARY in text
    assert CANARY not in without_secrets(text)


@for_each("command", COMMANDS, at_least=8)
def test_a_secret_in_a_command_is_masked(command: list[str]) -> None:
    assert CANARY not in str(masking.without_secrets(command))


@for_each("text", NO_SECRETS, at_least=15)
def test_a_text_without_a_secret_is_shown(text: str) -> None:
    assert without_secrets(text) == text


def test_a_key_that_is_issued_is_masked_in_the_form_of_a_label() -> None:
    assert has_secret("DATASET_KEY", CANARY)
    assert has_secret("CACHE_KEY", CANARY)
    assert has_secret("API_KEY", f"a.b/{CANARY}")
    assert not has_secret("NODE_KEY", "a.b/c-D")


@for_each(
    "key", ["ab123-cd456-ef789", "AB12-CD34-EF56", "/" + "aB3d" * 9 + "a+b", "/" + "Zx81kkQ9" * 5 + "=="], at_least=4
)
def test_a_key_that_resembles_words_or_a_path_is_masked(key: str) -> None:
    assert has_secret("API_KEY", key)
    assert has_secret("AWS_SECRET_ACCESS_KEY", key)


def test_a_password_of_digits_is_masked() -> None:
    assert has_secret("DB_PASSWORD", "80312946")
    assert "80312946" not in without_secrets("run --password=80312946")
